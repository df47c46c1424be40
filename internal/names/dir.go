package names

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// dirID is the identity of a folder among those of a Tree.
type dirID struct {
	dev    uint64
	handle disk.Handle
}

// dir is a cached folder. It is found by its identity and hangs below the
// folder it was last seen in.
//
// Lock order: content of several folders by num; watching; a queue's locks;
// Tree.shape; mu.
type dir struct {
	t   *Tree
	num uint64
	id  dirID
	ino uint64
	q   *queue // tells of its changes; nil when its file system has none

	pins atomic.Int32 // requests that use it: it stays cached
	used atomic.Int64 // when it was last used, in nanoseconds of now

	// moves counts what may have made a child another one: foreign changes
	// of entries, and own renames and removals of folders.
	moves atomic.Uint64
	// changes counts all that is known to have changed the folder.
	changes atomic.Uint64
	// dirty is set while pending is not empty.
	dirty atomic.Bool
	// passes and keeper are what is known of rights to the folder; nil when
	// nobody asked since its attributes changed.
	passes atomic.Pointer[[]pass]
	keeper atomic.Pointer[keeper]
	attrs  atomic.Uint64 // counts changes of the attributes
	folds  atomic.Int32  // whether the disk folds names here by itself: see folds.go
	empty  atomic.Bool   // the folder may have been, since that was asked
	mounts atomic.Uint64 // Tree.mounts before it was last seen where it is
	looks  atomic.Uint64 // counts looks at one that can be put back
	ready  atomic.Bool   // there is an index, and nobody is building it
	size   size          // of the index, for others to see
	bytes  atomic.Int64  // that the index takes, as the budget knows
	place  int           // in Descriptors, guarded by that; 0 is none

	// watching is held while the folder is put under watch.
	watching  sync.Mutex
	watchGen  atomic.Uint64 // the queue's generation then; 0 is never
	watchID   disk.Handle   // guarded by watching
	unwatched atomic.Int64  // it can't be, and is not to be tried before this, in nanoseconds of now; 0: it was not refused
	patience  time.Duration // how long that was put off last, guarded by watching

	// Guarded by Tree.shape.
	parent   *dir
	name     string
	attached bool // parent.children[name] is this one: known to be right
	children map[string]*dir
	below    int // folders whose parent this is, attached or not
	places   map[string]*Place

	// content is held over applying events, the system call and noting what
	// it did: whatever the index says is then the folder's state.
	content  sync.RWMutex
	names    *index        // one of these two, or none
	prints   *fingerprints // is there
	builtGen uint64        // the queue's generation when it was built
	invalid  atomic.Bool   // it must be built anew; set without the lock
	clock    clock         // for folders that are not watched
	look     look          // for those that are
	clashed  int           // clashes that were reported

	mu         sync.Mutex
	node       *disk.Node // nil when it was closed to save descriptors
	recent     bool       // node was used since the hand passed
	collecting bool       // there is, or will be, an index to keep right
	pending    map[string]struct{}
	overrun    bool // more were pending than it pays to look at
	creating   *creation
	sight      sight // of a folder that can be put back
}

// size is the number of names in an index, for those who don't hold content.
type size struct {
	names  atomic.Int64
	prints atomic.Bool // it has fingerprints only
}

func (s *size) store(n int, prints bool) {
	s.names.Store(int64(n) + 1)
	s.prints.Store(prints)
}

func (s *size) clear() { s.names.Store(0) }

func (s *size) load() (n int, indexed bool) {
	v := s.names.Load()
	return int(v) - 1, v > 0
}

// count adds d to the figures of its Tree.
func (d *dir) count(s *Stats) {
	s.Folders++
	if d.watchGen.Load() != 0 {
		s.Marks++
	}
	switch {
	case !d.watched():
	case d.q.way == Fanotify:
		s.Fanotify++
	case d.q.way == Inotify:
		s.Inotify++
	}
	if n, ok := d.size.load(); ok {
		s.Indexed++
		s.Names += n
		if d.size.prints.Load() {
			s.Fingerprinted++
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.node != nil {
		s.Open++
	}
}

// Values of dir.folds.
const (
	foldsUnasked = iota
	foldsUntold  // by the system; a name will tell
	foldsNot
	foldsItself
)

// now is a cheap clock for idleness.
func now() int64 { return time.Now().UnixNano() }

// identify asks for what makes a folder this one.
func identify(n *disk.Node) (dirID, uint64, error) {
	st, err := n.Stat()
	if err != nil {
		return dirID{}, 0, err
	}
	if st.Type != vfs.TypeDir {
		return dirID{}, 0, errorOf(vfs.KindNotDir)
	}
	h, err := n.Handle()
	return dirID{st.Dev, h}, st.Ino, err
}

// newDir makes the dir of a folder, which must not be in the Tree. It runs
// with shape held, but for the root.
func (t *Tree) newDir(id dirID, ino uint64, q *queue, n *disk.Node) *dir {
	t.lastNum++
	d := &dir{t: t, num: t.lastNum, id: id, ino: ino, q: q, node: n, recent: true}
	d.used.Store(now())
	t.dirs[id] = d
	t.adrift++
	t.account.Add(dirBytes)
	return d
}

// path returns where the folder was last seen. It runs with shape held.
func (d *dir) path() string {
	if d.parent == nil {
		return ""
	}
	var parts []string
	for ; d.parent != nil; d = d.parent {
		parts = append(parts, d.name)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "/")
}

// child returns the folder known to be name in d, for r to use.
func (r *request) child(d *dir, name string) *dir {
	d.t.shape.RLock()
	defer d.t.shape.RUnlock()
	c := d.children[name]
	if c != nil {
		r.pin(c)
	}
	return c
}

// pin keeps d cached until r ends, and notes its use unless r is the Tree's
// own. It runs with shape held.
func (r *request) pin(d *dir) {
	d.pins.Add(1)
	if r.began != 0 {
		d.used.Store(r.began)
	}
	r.pinned = append(r.pinned, d)
}

// attach notes that the folder n, opened as name in d when d had moved that
// often and the mount table had changed that often, is there, and returns its dir
// for r to use. It takes n.
func (r *request) attach(d *dir, name string, n *disk.Node, moves, mounts uint64) (*dir, error) {
	id, ino, err := identify(n)
	if err != nil {
		n.Close()
		return nil, err
	}
	t := d.t
	q := t.queues.of(id, n)
	t.shape.Lock()
	c := t.dirs[id]
	known := c != nil
	if !known {
		c = t.newDir(id, ino, q, n)
	}
	r.pin(c)
	fits := t.hang(d, name, c, moves)
	if d.children[name] == c {
		c.mounts.Store(mounts)
	}
	t.shape.Unlock()
	if !known {
		t.o.Descriptors.opened(c)
	} else {
		c.giveNode(n)
	}
	if !fits {
		return nil, errAgain
	}
	return c, nil
}

// hang notes that c is name in d, as was seen when d had moved that often. It
// reports false when that would close a circle: a bind mount, or a folder that
// was moved while we looked. It runs with shape held.
func (t *Tree) hang(d *dir, name string, c *dir, moves uint64) bool {
	for p := d; p != nil; p = p.parent {
		if p == c {
			return false
		}
	}
	// If something moved in d since it was looked at, the name may be another's by
	// now: then c is used this once and not remembered, nor what is known forgotten.
	latest := d.moves.Load() == moves
	if c.attached && !latest {
		return true
	}
	if c.attached && c.parent == d && c.name == name {
		return true
	}
	c.detach()
	c.unhang()
	c.parent, c.name = d, name
	d.below++
	c.changes.Add(1)
	if !latest {
		return true
	}
	if other := d.children[name]; other != nil {
		other.detach()
	}
	if d.children == nil {
		d.children = map[string]*dir{}
	}
	d.children[name], c.attached = c, true
	t.adrift--
	return true
}

// unused reports whether d, which is in the cache, could leave it. What is above a
// cached folder may not: a request that has that goes this way, and to watch one
// folder by two dirs takes the events from one of them. It runs with shape held.
func (t *Tree) unused(d *dir) bool {
	return d.pins.Load() == 0 && d.below == 0 && len(d.places) == 0 && t.dirs[d.id] == d
}

// unhang forgets where d, which is not attached, was seen. It runs with shape held.
func (d *dir) unhang() {
	if d.parent != nil {
		d.parent.below--
		d.parent = nil
	}
}

// detach forgets that d is where it was seen, not where that was. It runs with
// shape held.
func (d *dir) detach() {
	if d.attached {
		delete(d.parent.children, d.name)
		d.attached = false
		d.t.adrift++
	}
}

// doubtChildren forgets all that is known about the children, and has those who
// look at one just now not remember it. It runs with shape held.
func (d *dir) doubtChildren() {
	d.moves.Add(1)
	for _, c := range d.children {
		c.detach()
	}
}

// moved notes that this process renamed or removed the entry name of d, a
// folder. It runs with shape held and returns its dir if there is one.
func (d *dir) moved(name string) *dir {
	d.moves.Add(1)
	c := d.children[name]
	if c != nil {
		c.detach()
	}
	return c
}
