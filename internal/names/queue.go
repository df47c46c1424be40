package names

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
)

// queue is a queue of the kernel in which the changes of some folders, all of
// one file system, are found. Several share the folders of a file system so
// that not all requests meet in one.
type queue struct {
	t   *Tree
	num uint // bit in request.drained
	w   *disk.Watcher
	way Coherence
	// packable: change times tell all changes of the file system's folders.
	packable bool
	// restorable: it can be put back to an earlier state while it is mounted.
	restorable bool

	// gen rises when events were lost or watches may have been: all that is
	// known about the queue's folders is then in doubt.
	gen atomic.Uint64

	// began counts drains when they begin; draining is held until they end.
	began    atomic.Uint64
	draining sync.Mutex
	onEvent  func(disk.Event)

	table sync.RWMutex
	dirs  map[disk.Handle]*dir // guarded by table
}

// drain hands out all events that were in the queue when it was called. If
// another goroutine began to drain meanwhile and ended, its drain serves.
func (q *queue) drain() {
	before := q.began.Load()
	q.draining.Lock()
	defer q.draining.Unlock()
	if q.began.Load() > before {
		return
	}
	q.began.Add(1)
	if err := q.w.Drain(q.onEvent); err != nil {
		q.doubt()
	}
}

// doubt puts in doubt what is known about the queue's folders.
func (q *queue) doubt() {
	q.gen.Add(1)
	q.t.hearing.lose()
}

// drain drains q unless that was done since the request began.
func (r *request) drain(q *queue) {
	if bit := uint64(1) << q.num; r.drained&bit == 0 {
		q.drain()
		r.drained |= bit
	}
}

// event handles one event of a drain. It asks nothing of the disk: what an
// event names is looked at by the next request on the folder.
func (q *queue) event(e disk.Event) {
	if e.Overflow() {
		q.doubt()
		q.t.counts.overflows.Add(1)
		q.t.report(Event{Kind: Overflow})
		return
	}
	q.table.RLock()
	d := q.dirs[e.Dir]
	q.table.RUnlock()
	switch {
	case d == nil:
	case len(e.Name) == 0:
		d.changes.Add(1)
		d.forgetPasses()
		if e.Gone {
			d.watchGen.Store(0)
		}
	case e.Own:
		d.sawOwn(e.Name)
	default:
		d.changes.Add(1)
		d.moves.Add(1)
		d.doubtChild(e.Name)
		d.mustCheck(e.Name)
		q.t.hearing.hear(d, e.Name)
	}
}

// doubtChild forgets the folder known as name in d: all of them where the disk
// may know one by another spelling.
func (d *dir) doubtChild(name []byte) {
	if d.folds.Load() != foldsNot {
		d.t.shape.Lock()
		defer d.t.shape.Unlock()
		d.doubtChildren()
		return
	}
	d.t.shape.RLock()
	c := d.children[string(name)]
	d.t.shape.RUnlock()
	if c == nil {
		return
	}
	d.t.shape.Lock()
	defer d.t.shape.Unlock()
	if c := d.children[string(name)]; c != nil {
		c.detach()
		c.changes.Add(1) // a rename changes the folder's own change time, too
	}
}

// watched reports whether all changes of d since it was put under watch are
// known, or will be by a drain.
func (d *dir) watched() bool {
	return d.q != nil && d.watchGen.Load() == d.q.gen.Load()
}

// watch puts d under watch: its table entry, then the mark, so that no drain
// throws the first events away. What was known before the mark was set is in
// doubt.
func (r *request) watch(d *dir) {
	d.watching.Lock()
	defer d.watching.Unlock()
	gen := d.q.gen.Load()
	if d.watchGen.Load() == gen || !d.mayWatch() {
		return
	}
	n, err := r.node(d)
	if err != nil {
		return // whoever needs it next will notice
	}
	err = d.q.w.Add(n, func(h disk.Handle) {
		d.q.table.Lock()
		defer d.q.table.Unlock()
		d.q.dirs[h] = d
		d.watchID = h
	})
	if again := d.unwatched.Load() != 0; err == nil || !again {
		d.t.shape.Lock()
		d.doubtChildren()
		d.t.shape.Unlock()
		d.forgetPasses()
		d.wasEmpty() // for all that is known
		d.invalid.Store(true)
	}
	if err == nil {
		d.watchGen.Store(gen)
		d.unwatched.Store(0)
		d.patience = 0
		return
	}
	d.patience = min(max(2*d.patience, firstPatience), lastPatience)
	d.unwatched.Store(now() + int64(d.patience))
	d.t.unwatched.Do(func() { d.t.reportUnwatched(d, d.q.w.Limit(err)) })
}

// A folder that can't be watched, for which the reason mostly is a limit of the
// system, is tried again after a while: somebody may raise it, or others need
// less.
const (
	firstPatience = time.Second
	lastPatience  = time.Minute
)

// mayWatch reports whether it is worth trying to watch d.
func (d *dir) mayWatch() bool {
	until := d.unwatched.Load()
	return until == 0 || now() >= until
}

// unwatch ends the watch of d, which nobody uses. Somebody may have found the
// folder again meanwhile and watch it by another dir: that watch stays.
func (d *dir) unwatch() {
	if d.q == nil {
		return
	}
	d.watching.Lock()
	defer d.watching.Unlock()
	leave := func() bool {
		d.q.table.Lock()
		defer d.q.table.Unlock()
		if d.q.dirs[d.watchID] != d {
			return false
		}
		delete(d.q.dirs, d.watchID)
		return true
	}
	if d.watchGen.Swap(0) != 0 {
		d.mu.Lock()
		n := d.node
		d.mu.Unlock()
		if n != nil {
			d.q.w.Remove(n, d.watchID, leave) // a mark that stays costs memory, no more
		}
	}
	leave() // it also is in the table if the watch failed, or ended by itself
}
