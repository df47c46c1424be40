package share

import (
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

const (
	shards  = 64
	recents = 16 // removals that a shard remembers
)

// table has a row for each node that is open. A row lives in the shard that its
// key falls in, and the shard's lock guards all that belongs to it: the row,
// its opens and their locks.
//
// Lock order: a shard's lock is taken with no other lock of this package held,
// never two at a time. While it is held nothing waits and the FS is not
// called, but for the File.Path of files with several names and symbolic links.
type table struct {
	opens    atomic.Int64
	removals atomic.Uint64 // nodes that lost a name by this table's doing
	shards   [shards]shard
}

type shard struct {
	mu   sync.Mutex
	rows map[vfs.Key]*row

	// A node found by its name may lose that name before its open is
	// entered. The removals done last tell: see wentAway.
	recent [recents]removal
	next   int // in recent

	_ [64]byte // the next shard is not in this one's cache line
}

// removal says that a node lost a name.
type removal struct {
	key vfs.Key
	at  uint64 // by table.removals
}

// row is what is known of an open node. Its shard's lock guards it.
type row struct {
	key     vfs.Key
	opens   *Open // list
	count   int
	sharing lock.Sharing
	oplocks lock.Oplocks
	ranges  lock.Ranges
	links   *link // list of the names it was opened by
	pins    int   // calls that need the row to stay while nobody has it open
	taken   bool  // a rename is replacing the node: who wants to open it waits
	first   link  // room for the only name that nearly all nodes have

	// changed, if somebody waits, is closed when an oplock was given up or
	// taken ends.
	changed chan struct{}

	// guarded tells reads and writes, which look without the lock, that
	// there are oplocks or byte ranges.
	guarded atomic.Bool
}

// link is one name of an open node.
type link struct {
	next    *link
	opens   int
	some    *Open // one that was opened by it, the last one while it is being closed
	doomed  bool  // goes with its last close; nobody can open it any more
	removed bool  // gone, while it is open still
	deleter *Tree // of who said that it goes
}

func (t *table) init() {
	for i := range t.shards {
		t.shards[i].rows = map[vfs.Key]*row{}
	}
}

// shard returns the shard of a node.
func (t *table) shard(k vfs.Key) *shard {
	h := (k.Lo ^ k.Hi ^ k.FS) * 0x9e3779b97f4a7c15 // keys may count up: mix
	return &t.shards[h>>58]
}

// each calls f for all opens, holding the lock of their shard.
func (t *table) each(f func(*Open)) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, r := range s.rows {
			for o := r.opens; o != nil; o = o.next {
				f(o)
			}
		}
		s.mu.Unlock()
	}
}

// row returns the row of a node, made if need be. The caller holds s.mu.
func (s *shard) row(k vfs.Key) *row {
	r := s.rows[k]
	if r == nil {
		r = &row{key: k}
		s.rows[k] = r
	}
	return r
}

// drop forgets r if nobody needs it. The caller holds s.mu.
func (s *shard) drop(r *row) {
	if r.count == 0 && r.pins == 0 && s.rows[r.key] == r {
		delete(s.rows, r.key)
	}
}

// removed notes that the node of r lost a name. The caller holds s.mu.
func (t *table) removed(s *shard, r *row) {
	s.recent[s.next] = removal{r.key, t.removals.Add(1)}
	s.next = (s.next + 1) % recents
}

// wentAway reports whether the node may have lost a name since table.removals
// was start; if so, what was found by a name then is to be looked for again. The
// caller holds s.mu.
func (s *shard) wentAway(k vfs.Key, start uint64) bool {
	for _, r := range s.recent {
		if r.at > start && r.key == k {
			return true
		}
	}
	return s.recent[s.next].at > start // even the oldest is new: some are forgotten
}

// find returns the name that f was opened by, nil if it is not known. linked
// says that this is a symbolic link, and several that the node has several names
// of its own; without both there is nothing to compare.
func (r *row) find(f vfs.File, linked, several bool) *link {
	l := r.links
	for l != nil && (l.removed || l.some.linked != linked ||
		(linked || several) && l.some.file.Path() != f.Path()) {
		l = l.next
	}
	return l
}

// add puts o into r by the name l, a new one if it is nil.
func (r *row) add(o *Open, l *link) {
	if l == nil {
		if l = &r.first; l.some != nil {
			l = new(link)
		}
		*l = link{next: r.links, some: o}
		r.links = l
	}
	l.opens++
	o.row, o.link = r, l
	o.next = r.opens
	if o.next != nil {
		o.next.prev = o
	}
	r.opens = o
	r.count++
	r.sharing.Add(uses(o.granted), o.share)
}

// remove takes o out of r. Its link stays, even if it was the last one.
func (r *row) remove(o *Open) {
	if o.prev != nil {
		o.prev.next = o.next
	} else {
		r.opens = o.next
	}
	if o.next != nil {
		o.next.prev = o.prev
	}
	r.count--
	r.sharing.Remove(uses(o.granted), o.share)
	l := o.link
	if l.opens--; l.opens > 0 && l.some == o {
		l.some = r.opens
		for l.some.link != l {
			l.some = l.some.next
		}
	}
}

// unlink forgets l when nobody has it open.
func (r *row) unlink(l *link) {
	if l.opens > 0 {
		return
	}
	at := &r.links
	for *at != l {
		at = &(*at).next
	}
	*at = l.next
	*l = link{}
}

// guard keeps r.guarded right.
func (r *row) guard() {
	r.guarded.Store(!r.ranges.Empty() || r.oplocks.Top() != lock.None)
}

// wake makes those look again who wait for r to change.
func (r *row) wake() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// uses returns the uses for which opens need each other's leave ([MS-FSA]
// 2.1.5.1.2.2). An open that makes none only looks at attributes.
func uses(a vfs.Access) Mode {
	var m Mode
	if a&(vfs.ReadData|vfs.Execute) != 0 {
		m |= ShareRead
	}
	if a&(vfs.WriteData|vfs.AppendData) != 0 {
		m |= ShareWrite
	}
	if a&vfs.Delete != 0 {
		m |= ShareDelete
	}
	return m
}
