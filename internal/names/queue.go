package names

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
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
	if d.watchGen.Load() == gen || d.unwatched.Load() {
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
	d.t.shape.Lock()
	d.doubtChildren()
	d.t.shape.Unlock()
	d.forgetPasses()
	d.invalid.Store(true)
	if err == nil {
		d.watchGen.Store(gen)
		return
	}
	d.unwatched.Store(true)
	d.t.unwatched.Do(func() { d.t.reportOf(Unwatched, d) })
}

// unwatch ends the watch of d, which nobody uses.
func (d *dir) unwatch() {
	if d.q == nil {
		return
	}
	d.watching.Lock()
	defer d.watching.Unlock()
	if d.watchGen.Load() == 0 {
		return
	}
	d.watchGen.Store(0)
	d.mu.Lock()
	n := d.node
	d.mu.Unlock()
	if n != nil {
		d.q.w.Remove(n, d.watchID) // a mark that stays costs memory, no more
	}
	d.q.table.Lock()
	if d.q.dirs[d.watchID] == d {
		delete(d.q.dirs, d.watchID)
	}
	d.q.table.Unlock()
}

// queues are the queues of all file systems of a Tree.
type queues struct {
	t   *Tree
	way Coherence // of the root's

	mu   sync.Mutex
	next uint                // number of the next queue
	byFS map[uint64][]*queue // by device; empty where there are none
}

const (
	// maxQueues is as many as request.drained has bits. The kernel gives a
	// user 128, whom all shares of the program share.
	maxQueues = 64
	// maxShards is how many serve the root's file system.
	maxShards = 4
)

func (s *queues) init(t *Tree) {
	s.t, s.byFS = t, map[uint64][]*queue{}
}

// begin opens the queues of the root's file system and returns the root's.
// The best way is taken that works there.
func (s *queues) begin(id dirID, root *disk.Node) *queue {
	ways := []Coherence{s.t.o.Coherence}
	if ways[0] == Best {
		ways = []Coherence{Fanotify, Inotify, Generations}
	}
	for _, s.way = range ways {
		if s.works(root) {
			return s.of(id, root)
		}
	}
	s.way = Generations
	return s.of(id, root)
}

// works tries the way on root.
func (s *queues) works(root *disk.Node) bool {
	w, err := newWatcher(s.way)
	if err != nil {
		return false
	}
	defer w.Close()
	return w.Add(root, func(disk.Handle) {}) == nil
}

func newWatcher(way Coherence) (*disk.Watcher, error) {
	switch way {
	case Fanotify:
		return disk.NewFanotify()
	case Inotify:
		return disk.NewInotify()
	}
	return nil, errorOf(vfs.KindUnsupported)
}

// of returns the queue of the folder n, nil where its file system has none.
func (s *queues) of(id dirID, n *disk.Node) *queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	shards, ok := s.byFS[id.dev]
	if !ok {
		count := 1
		if len(s.byFS) == 0 {
			count = min(max(runtime.GOMAXPROCS(0)/4, 1), maxShards)
		}
		if changesElsewhere(n) {
			count = 0
		}
		for range count {
			if q := s.open(); q != nil {
				q.packable = packable(n)
				shards = append(shards, q)
			}
		}
		s.byFS[id.dev] = shards
	}
	if len(shards) == 0 {
		return nil
	}
	h := uint64(14695981039346656037) // FNV-1a
	for _, b := range id.handle.Bytes {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return shards[h%uint64(len(shards))]
}

// changesElsewhere reports whether n is on a file system that may be changed
// without a watch being told.
func changesElsewhere(n *disk.Node) bool {
	fs, err := n.FileSystem()
	if err != nil {
		return false
	}
	kind, _, _ := strings.Cut(fs.Label, " ")
	switch kind {
	case "nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "lustre", "virtiofs":
		return true
	}
	// A FUSE disk may be a network's, and one that folds names may be several
	// nodes to the kernel, of which only one is watched.
	return strings.HasPrefix(kind, "fuse")
}

func (s *queues) open() *queue {
	if s.next == maxQueues {
		return nil
	}
	w, err := newWatcher(s.way)
	if err != nil {
		return nil
	}
	q := &queue{t: s.t, num: s.next, w: w, way: s.way, dirs: map[disk.Handle]*dir{}}
	q.onEvent = q.event
	q.gen.Store(1)
	s.next++
	return q
}

// all returns the queues of this moment.
func (s *queues) all() (all []*queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, shards := range s.byFS {
		all = append(all, shards...)
	}
	return all
}

// systems returns how many file systems were met.
func (s *queues) systems() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byFS)
}

// drainAll drains all queues.
func (t *Tree) drainAll() {
	for _, q := range t.queues.all() {
		q.drain()
	}
}

// doubtOthers puts in doubt what is known about all file systems but one.
func (s *queues) doubtOthers(dev uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, shards := range s.byFS {
		for _, q := range shards {
			if other != dev {
				q.doubt()
			}
		}
	}
}

func (s *queues) close() {
	for _, q := range s.all() {
		q.w.Close()
	}
}

func (s *queues) coherence(root *dir) Coherence {
	if root.q == nil {
		return Generations
	}
	return root.q.way
}
