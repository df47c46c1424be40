package volume

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// A listing is read in batches. From the second on, the next batch is prepared
// while the client is sent the last one.
const (
	firstBatch = 64
	fullBatch  = 256
	// splitBatch is how many entries are worth a goroutine of their own.
	splitBatch = 64
	maxWorkers = 4
)

// lister is one enumeration of a folder.
type lister struct {
	f     *file
	a     *account      // who sees what symbolic links lead to
	names *names.Lister // nil for a folder that was removed
	known *folder       // what an earlier listing found
	found gathering     // what this one finds

	ready   *batch // entries not given yet from ready.next on; nil before the first
	coming  chan *batch
	batches int
	ended   error // why there are no more batches
}

// batch is a run of entries in the order of the folder.
type batch struct {
	names   [fullBatch]names.Entry
	entries [fullBatch]vfs.Entry
	memos   [fullBatch]memo
	n, next int
	err     error // with the last batch: io.EOF or what went wrong
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// List implements vfs.File.
func (f *file) List(ctx context.Context, c *vfs.Caller) (vfs.Lister, error) {
	const op = "list"
	if f.typ != vfs.TypeDir {
		return nil, f.fail(op, vfs.KindNotDir)
	}
	if f.granted&vfs.ListDir == 0 {
		return nil, f.fail(op, vfs.KindNotGranted)
	}
	if err := f.node.Hold(op); err != nil {
		return nil, err
	}
	defer f.node.Drop()
	l, err := f.v.tree.List(ctx, f.place, f.node)
	if vfs.IsKind(err, vfs.KindNotExist) { // removed, and still open
		return &lister{f: f, ended: io.EOF}, nil
	}
	if err != nil {
		return nil, err
	}
	return &lister{
		f:     f,
		a:     f.v.account(c),
		names: l,
		known: f.v.memory.get(f.key),
		found: gathering{limit: f.v.memory.most()},
	}, nil
}

// Next implements vfs.Lister.
func (l *lister) Next(ctx context.Context, entries []vfs.Entry, names bool) (int, error) {
	n := 0
	for n < len(entries) {
		if l.ready == nil || l.ready.next == l.ready.n {
			// What is there already is not kept waiting for more.
			if n > 0 || !l.advance(ctx) {
				break
			}
		}
		b := l.ready
		k := copy(entries[n:], b.entries[b.next:b.n])
		b.next += k
		n += k
	}
	if names {
		for i := range entries[:n] {
			entries[i].Attr = vfs.Attr{Type: entries[i].Attr.Type}
		}
	}
	if n == 0 && len(entries) > 0 {
		l.recycle() // nothing is kept for whoever leaves it open now
		return 0, l.ended
	}
	return n, nil
}

// advance makes the next batch that holds something ready; false at the end.
func (l *lister) advance(ctx context.Context) bool {
	for l.ended == nil {
		b := l.next(ctx)
		l.recycle()
		l.ready = b
		if b.err != nil {
			l.end(b.err)
		}
		if b.n > 0 {
			if l.ended == nil && l.batches > 1 {
				l.prepare()
			}
			return true
		}
	}
	return false
}

// next returns the next batch, the one in preparation if there is one.
func (l *lister) next(ctx context.Context) *batch {
	l.batches++
	if l.coming != nil {
		b := <-l.coming
		l.coming = nil
		return b
	}
	size := fullBatch
	if l.batches == 1 {
		size = firstBatch
	}
	return l.fill(ctx, size)
}

// prepare has the next batch filled while the last one is used. It does not end
// with the request that it is begun in; Close waits for it.
func (l *lister) prepare() {
	coming := make(chan *batch, 1)
	l.coming = coming
	go func() { coming <- l.fill(context.Background(), fullBatch) }()
}

func (l *lister) end(err error) {
	l.ended = err
	if errors.Is(err, io.EOF) {
		l.f.v.memory.put(l.f.key, l.found.folder())
	}
}

func (l *lister) recycle() {
	if l.ready != nil {
		batches.Put(l.ready)
		l.ready = nil
	}
}

// Close implements vfs.Lister.
func (l *lister) Close() error {
	if l.coming != nil {
		<-l.coming
		l.coming = nil
	}
	l.recycle()
	l.ended = l.f.fail("list", vfs.KindClosed)
	if l.names == nil {
		return nil
	}
	return l.names.Close()
}

// fill reads a batch of at most size entries.
func (l *lister) fill(ctx context.Context, size int) *batch {
	ctx = context.WithoutCancel(ctx) // half a batch would be lost for the next request
	b := batches.Get().(*batch)
	b.n, b.next, b.err = 0, 0, nil
	if b.err = l.f.node.Hold("list"); b.err != nil {
		return b
	}
	defer l.f.node.Drop()
	n, err := l.names.Next(ctx, b.names[:size])
	if vfs.IsKind(err, vfs.KindNotExist) { // the folder was removed
		err = io.EOF
	}
	b.err = err
	l.look(b, n)

	// What went away meanwhile is left out.
	for i := range n {
		if b.entries[i].Attr.Type == 0 {
			continue
		}
		b.entries[b.n] = b.entries[i]
		b.n++
		l.found.add(b.memos[i])
	}
	return b
}

// look finds the attributes of the first n entries of b, with several goroutines
// if there are many.
func (l *lister) look(b *batch, n int) {
	workers := min(maxWorkers, runtime.GOMAXPROCS(0), n/splitBatch)
	if workers <= 1 {
		l.lookAt(b, 0, n)
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { l.lookAt(b, w*n/workers, (w+1)*n/workers) })
	}
	wg.Wait()
}

func (l *lister) lookAt(b *batch, from, to int) {
	looked, at := disk.Clock(), 0
	for i := from; i < to; i++ {
		e := &b.names[i]
		b.entries[i] = vfs.Entry{Name: e.Shown}
		b.memos[i] = memo{}
		m, err := l.f.lookAt(l.a, e, l.known, &at, looked, &b.entries[i].Attr)
		if err != nil {
			b.entries[i].Attr.Type = 0
			continue
		}
		b.memos[i] = m
	}
}

// lookAt fills a with the attributes of the entry e of the folder f, as who sees
// them. The id and what is stored are taken from known, probably from its place
// at, if it has them. The memo that it returns is empty if what was found may
// not be remembered.
func (f *file) lookAt(who *account, e *names.Entry, known *folder, at *int, looked time.Time, a *vfs.Attr) (memo, error) {
	st, err := f.node.StatAt(e.Name)
	if err != nil {
		return memo{}, err
	}
	if st.Type == vfs.TypeSymlink && !f.noFollow {
		if err := f.lookThrough(who, e, a); !leadsNowhere(err) {
			return memo{}, err
		}
	}
	m, ok := known.find(&st, at)
	if !ok {
		if m, err = f.learn(e.Name, &st); err != nil {
			return memo{}, err
		}
	}
	f.fill(a, &st, m.info, e.Name, m.id)
	a.Parent = f.id
	if !ok && (st.Dev != f.dev || !meta.Settled(st.Changed, looked)) {
		return memo{}, nil
	}
	return m, nil
}

// learn asks for what stat does not tell about the entry name of f.
func (f *file) learn(name string, st *disk.Stat) (memo, error) {
	h, err := f.node.HandleAt(name)
	if err != nil {
		return memo{}, err
	}
	system, err := f.systemAt(name, st.Dev)
	if err != nil {
		return memo{}, err
	}
	m := memo{ino: st.Ino, changed: st.Changed.UnixNano(), id: system.identify(h).id}
	if st.Type == vfs.TypeFile || st.Type == vfs.TypeDir {
		m.info, err = meta.ReadAt(f.node, name)
	}
	return m, err
}

// systemAt returns the system that the entry name of f is on: another than f's
// if something is mounted there.
func (f *file) systemAt(name string, dev uint64) (*system, error) {
	if dev == f.dev {
		return f.v.systems.of(f.node, dev)
	}
	n, err := f.node.Open(nil, name, disk.How{Flags: disk.PathOnly | disk.NoFollow})
	if err != nil {
		return nil, err
	}
	defer n.Close()
	return f.v.systems.of(n, dev)
}

// Lookup implements vfs.File.
func (f *file) Lookup(ctx context.Context, c *vfs.Caller, name string, exact bool) (vfs.Entry, error) {
	if f.typ != vfs.TypeDir {
		return vfs.Entry{}, f.fail("lookup", vfs.KindNotDir)
	}
	if err := f.node.Hold("lookup"); err != nil {
		return vfs.Entry{}, err
	}
	defer f.node.Drop()
	a := f.v.account(c)
	e, err := f.v.tree.Lookup(ctx, a.cred, f.place, name, exact)
	if err != nil {
		return vfs.Entry{}, err
	}
	found := vfs.Entry{Name: e.Shown}
	_, err = f.lookAt(a, &e, nil, nil, time.Time{}, &found.Attr)
	return found, err
}
