package names

import (
	"context"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Tree is the names below one root. All methods may be called by several
// goroutines at once.
//
// Paths are as in package vfs: relative to the root, "/" between components,
// "" for the root. With exact true only the spelling given counts; otherwise
// the exact spelling is preferred and any other that folds alike is taken.
// Symbolic links on the way are followed as long as they stay inside the root.
// Errors are *vfs.Error: KindPathNotExist for a component on the way that is
// missing or no folder, KindNotExist for the last one, KindOutside and KindLoop
// for links, KindCanceled when ctx was done before anything was.
//
// The name ".dozo" in the root is not there for callers.
type Tree struct {
	o    Options
	fold folding
	seed maphash.Seed
	root *dir

	queues  queues
	account *budget.Account
	packs   packs
	counts  counts
	hearing hearing
	tunnel  tunnel

	// mounts counts changes of the mount table: each may have put another
	// file system over a folder.
	mounts   atomic.Uint64
	mounting mounting

	unwatched  sync.Once // reports the first folder that can't be watched
	background sync.WaitGroup
	stop       chan struct{}

	// shape guards how folders hang together and which names are in use: the
	// fields of dir and Place that say so. It is held for some map operations,
	// never over a system call.
	shape   sync.RWMutex
	dirs    map[dirID]*dir
	adrift  int // of them that are not attached; the root is one
	lastNum uint64
}

// counts are the figures of Stats that only rise.
type counts struct {
	builds, buildTime, rebuilds, searches, rechecks, overflows, clashes, withdrawn, unannounced atomic.Int64
}

// New returns the Tree below root, which Close closes, and New when it fails.
func New(root *disk.Node, o Options) (*Tree, error) {
	if o.Budget == nil {
		o.Budget = budget.New(0)
	}
	if o.Descriptors == nil {
		o.Descriptors = NewDescriptors(0)
	}
	t := &Tree{
		o:    o,
		fold: newFolding(!o.NoNormalization),
		seed: maphash.MakeSeed(),
		dirs: map[dirID]*dir{},
		stop: make(chan struct{}),
	}
	t.fold.shorts = o.ShortNames
	t.queues.init(t)

	id, ino, err := identify(root)
	if err != nil {
		root.Close()
		return nil, err
	}
	t.account = o.Budget.Open(kept{t})
	t.packs.account, t.packs.age = o.Budget.Open(&t.packs), packAge
	t.root = t.newDir(id, ino, t.queues.begin(id, root), root)
	t.root.pins.Add(1) // never evicted
	if table, err := disk.OpenMountTable(); err == nil {
		t.mounting.table = table
	}
	t.background.Go(t.tend)
	return t, nil
}

// Close ends the Tree and waits for what it runs. Places and Listers must not
// be used afterwards.
func (t *Tree) Close() error {
	close(t.stop)
	t.background.Wait()
	t.mounting.close()
	t.queues.close()
	t.account.Close()
	t.packs.account.Close()
	t.o.Descriptors.leave(t)

	t.shape.Lock()
	defer t.shape.Unlock()
	for _, d := range t.dirs {
		d.mu.Lock()
		if d.node != nil {
			d.node.Close()
			d.node = nil
		}
		d.mu.Unlock()
	}
	return nil
}

func (t *Tree) report(e Event) {
	if t.o.Report != nil {
		t.o.Report(e)
	}
}

// reportOf reports what concerns d.
func (t *Tree) reportOf(kind EventKind, d *dir, names ...string) {
	t.shape.RLock()
	path := d.path()
	t.shape.RUnlock()
	t.report(Event{Kind: kind, Path: path, Names: names})
}

// Stats returns figures for the status page.
func (t *Tree) Stats() Stats {
	s := Stats{
		Coherence:   t.queues.coherence(t.root),
		Memory:      t.account.Used() + t.packs.account.Used(),
		Builds:      t.counts.builds.Load(),
		BuildTime:   time.Duration(t.counts.buildTime.Load()),
		Rebuilds:    t.counts.rebuilds.Load(),
		Searches:    t.counts.searches.Load(),
		Rechecks:    t.counts.rechecks.Load(),
		Overflows:   t.counts.overflows.Load(),
		Clashes:     t.counts.clashes.Load(),
		Withdrawn:   t.counts.withdrawn.Load(),
		Unannounced: t.counts.unannounced.Load(),
	}
	s.Packed, s.Names = t.packs.count()
	for _, d := range t.allDirs() {
		d.count(&s)
	}
	return s
}

// allDirs returns the cached folders of this moment.
func (t *Tree) allDirs() []*dir {
	t.shape.RLock()
	defer t.shape.RUnlock()
	all := make([]*dir, 0, len(t.dirs))
	for _, d := range t.dirs {
		all = append(all, d)
	}
	return all
}

// request is one call of a caller. Folders it touches stay cached until it
// ends.
type request struct {
	t     *Tree
	c     *disk.Cred
	exact bool // names in another case or form are other names
	plain bool // and given names are none: the caller wants what is stored

	began   int64  // in nanoseconds of now
	drained uint64 // queues drained since the request began, by number
	links   int    // symbolic links followed
	pinned  []*dir
	space   [8]*dir // room for pinned
}

// do runs f as a request, again when a folder turned out to be elsewhere.
func (t *Tree) do(ctx context.Context, c *disk.Cred, exact bool, op, path string, f func(r *request) error) error {
	const tries = 8
	for try := 0; ; try++ {
		if ctx.Err() != nil {
			return vfs.NewError(op, path, vfs.KindCanceled, context.Cause(ctx))
		}
		t.lookForMounts()
		r := request{t: t, c: c, exact: exact || t.o.Sensitive, plain: exact, began: now()}
		r.pinned = r.space[:0]
		err := f(&r)
		r.end()
		switch {
		case err == nil:
			return nil
		case err == errAgain && try < tries:
			runtime.Gosched()
			continue
		case err == errAgain:
			return vfs.NewError(op, path, vfs.KindStale, nil)
		}
		return vfs.NewError(op, path, vfs.KindOf(err), cause(err))
	}
}

// exactly reports whether r can mean by name but the name stored in just this
// spelling.
func (r *request) exactly(name string) bool { return r.exact && (r.plain || !mayBeGiven(name)) }

// end gives back what r used.
func (r *request) end() {
	for _, d := range r.pinned {
		d.pins.Add(-1)
	}
	r.pinned = nil
}

// errAgain is the error of a request that met a folder which is no longer
// where it was, and must begin again.
var errAgain = vfs.NewError("", "", vfs.KindStale, nil)

// cause returns what is behind the outermost *vfs.Error, whose place another
// one with the whole path takes.
func cause(err error) error {
	if e, ok := err.(*vfs.Error); ok {
		return e.Err
	}
	return err
}

func errorOf(kind vfs.Kind) error { return vfs.NewError("", "", kind, nil) }

// The errors that every second request meets on its way are made once.
var (
	errNotExist = errorOf(vfs.KindNotExist)
	errExist    = errorOf(vfs.KindExist)
)
