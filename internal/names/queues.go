package names

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// queues are the queues of all file systems of a Tree.
type queues struct {
	t   *Tree
	way Coherence // of the root's

	mu   sync.Mutex
	next uint               // number of the next queue
	byFS map[uint64]*system // by device
	left []*system          // those with queues whose number another has by now
}

// system is what is known of a file system.
type system struct {
	dev       uint64
	kind      string
	mounts    uint64   // Tree.mounts when its kind was asked: the number may be another's since
	queues    []*queue // none where it has none
	elsewhere bool     // other machines may change it, whose clocks its times are from
}

const (
	// maxQueues is as many as request.drained has bits. The kernel gives a
	// user 128, whom all shares of the program share.
	maxQueues = 64
	// maxShards is how many serve the root's file system.
	maxShards = 4
)

func (s *queues) init(t *Tree) {
	s.t, s.byFS = t, map[uint64]*system{}
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
	shards := s.shards(id.dev, n)
	if len(shards) == 0 {
		return nil
	}
	h := uint64(14695981039346656037) // FNV-1a
	for _, b := range id.handle.Bytes {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return shards[h%uint64(len(shards))]
}

// shards returns the queues of the file system dev, which n is on. They are
// opened when it is met first, or another by its number. What it is is asked without the lock, since a
// disk that hangs must not keep others from being drained.
func (s *queues) shards(dev uint64, n *disk.Node) []*queue {
	mounts := s.t.mounts.Load()
	s.mu.Lock()
	known := s.byFS[dev]
	latest := known != nil && known.mounts >= mounts
	s.mu.Unlock()
	if latest {
		return known.queues
	}
	kind := kindOf(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.byFS[dev]; known != nil {
		if kind == known.kind || kind == "" || known.mounts >= mounts {
			known.mounts = max(known.mounts, mounts)
			return known.queues
		}
		if back := s.exchange(known, kind); back != nil {
			back.mounts = mounts
			s.byFS[dev] = back
			return back.queues
		}
	}
	fs := &system{dev: dev, kind: kind, mounts: mounts, elsewhere: changesElsewhere(kind)}
	count := 1
	if len(s.byFS) == 0 {
		count = min(max(runtime.GOMAXPROCS(0)/4, 1), maxShards)
	}
	if fs.elsewhere {
		count = 0
	}
	for range count {
		if q := s.open(); q != nil {
			q.packable, q.restorable = packable(kind), restorable(kind)
			fs.queues = append(fs.queues, q)
		}
	}
	s.byFS[dev] = fs
	return fs.queues
}

// exchange leaves a file system whose number another has, and returns the one of
// a kind that was left under this number before, if there is one: queues are few,
// and two that take turns must not use them up.
func (s *queues) exchange(known *system, kind string) (back *system) {
	s.left = slices.DeleteFunc(s.left, func(fs *system) bool {
		if fs.dev != known.dev || fs.kind != kind {
			return false
		}
		back = fs
		return true
	})
	if len(known.queues) > 0 {
		s.left = append(s.left, known)
	}
	return back
}

// elsewhere reports whether other machines may change the file system dev, which
// was met.
func (s *queues) elsewhere(dev uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byFS[dev] != nil && s.byFS[dev].elsewhere
}

// kindOf returns the kind of the file system that n is on, "" if the system
// does not tell.
func kindOf(n *disk.Node) string {
	fs, err := n.FileSystem()
	if err != nil {
		return ""
	}
	return fs.Kind
}

// changesElsewhere reports whether file systems of a kind may be changed
// without a watch being told.
func changesElsewhere(kind string) bool {
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
	for _, fs := range s.left {
		all = append(all, fs.queues...)
	}
	for _, fs := range s.byFS {
		all = append(all, fs.queues...)
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
	for _, fs := range s.left {
		for _, q := range fs.queues {
			q.doubt()
		}
	}
	for other, fs := range s.byFS {
		for _, q := range fs.queues {
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
