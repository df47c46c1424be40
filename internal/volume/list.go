package volume

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
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
	partial bool  // found lacks what only the names were asked of
	ended   error // why there are no more batches
}

// batch is a run of entries in the order of the folder.
type batch struct {
	names   [fullBatch]names.Entry
	entries [fullBatch]vfs.Entry
	memos   [fullBatch]memo
	n, next int
	bare    bool  // entries have no attributes but those that names imply
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
			if n > 0 || !l.advance(ctx, names) {
				break
			}
		}
		b := l.ready
		if b.bare && !names {
			if err := l.complete(b); err != nil {
				return n, err
			}
		}
		k := copy(entries[n:], b.entries[b.next:b.n])
		b.next += k
		n += k
	}
	if names {
		for i := range entries[:n] {
			a := &entries[i].Attr
			*a = vfs.Attr{Type: a.Type, Short: a.Short}
		}
	}
	if n == 0 && len(entries) > 0 {
		l.recycle() // nothing is kept for whoever leaves it open now
		if l.ended == nil {
			return 0, vfs.NewError("list", l.f.Path(), vfs.KindCanceled, context.Cause(ctx))
		}
		return 0, l.ended
	}
	return n, nil
}

// advance makes the next batch that holds something ready; false at the end, and
// when ctx is done before: then the enumeration can go on.
func (l *lister) advance(ctx context.Context, names bool) bool {
	for l.ended == nil && ctx.Err() == nil {
		b := l.next(ctx, names)
		l.recycle()
		l.ready = b
		l.partial = l.partial || b.bare
		if b.err != nil {
			l.end(b.err)
		}
		if b.n > 0 {
			if l.ended == nil && l.batches > 1 {
				l.prepare(names)
			}
			return true
		}
	}
	return false
}

// next returns the next batch, the one in preparation if there is one.
func (l *lister) next(ctx context.Context, names bool) *batch {
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
	return l.fill(ctx, size, names)
}

// prepare has the next batch filled while the last one is used. It does not end
// with the request that it is begun in; Close waits for it.
func (l *lister) prepare(names bool) {
	coming := make(chan *batch, 1)
	l.coming = coming
	go func() { coming <- l.fill(context.Background(), fullBatch, names) }()
}

func (l *lister) end(err error) {
	l.ended = err
	if errors.Is(err, io.EOF) && !l.partial {
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

// fill reads a batch of at most size entries; with bare only their names.
func (l *lister) fill(ctx context.Context, size int, bare bool) *batch {
	ctx = context.WithoutCancel(ctx) // half a batch would be lost for the next request
	b := batches.Get().(*batch)
	b.n, b.next, b.bare, b.err = 0, 0, bare, nil
	if b.err = l.f.node.Hold("list"); b.err != nil {
		return b
	}
	defer l.f.node.Drop()
	b.n, b.err = l.names.Next(ctx, b.names[:size])
	if vfs.IsKind(b.err, vfs.KindNotExist) { // the folder was removed
		b.err = io.EOF
	}
	l.look(b)
	return b
}

// complete finds the attributes of what is left of a batch that has only names.
func (l *lister) complete(b *batch) error {
	if err := l.f.node.Hold("list"); err != nil {
		return err
	}
	defer l.f.node.Drop()
	b.bare = false
	l.look(b)
	return nil
}

// look finds the attributes of the entries of b from next on, with several
// goroutines if there are many. What went away meanwhile is left out.
func (l *lister) look(b *batch) {
	n := b.n - b.next
	workers := min(maxWorkers, runtime.GOMAXPROCS(0), n/splitBatch)
	if workers <= 1 || b.bare {
		l.lookAt(b, b.next, b.n)
	} else {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() { l.lookAt(b, b.next+w*n/workers, b.next+(w+1)*n/workers) })
		}
		wg.Wait()
	}
	end := b.n
	b.n = b.next
	for i := b.next; i < end; i++ {
		if b.entries[i].Attr.Type == 0 {
			continue
		}
		b.names[b.n], b.entries[b.n] = b.names[i], b.entries[i]
		b.n++
		if !l.partial { // else it is of no use, and another batch may be in preparation
			l.found.add(b.memos[i])
		}
	}
}

func (l *lister) lookAt(b *batch, from, to int) {
	looked, at := disk.Clock(), 0
	for i := from; i < to; i++ {
		e := &b.names[i]
		b.entries[i] = vfs.Entry{Name: e.Shown}
		b.memos[i] = memo{}
		if b.bare && l.f.byName(e, &b.entries[i].Attr) {
			continue
		}
		m, err := l.f.lookAt(l.a, e, l.known, &at, looked, &b.entries[i].Attr)
		if err != nil {
			b.entries[i].Attr.Type = 0
			continue
		}
		b.memos[i] = m
	}
}
