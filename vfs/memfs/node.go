package memfs

import (
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dozo-server/dozo/vfs"
)

// node is a file, folder or symbolic link. FS.mu guards it.
type node struct {
	id  uint64
	typ vfs.Type

	opens    atomic.Int32 // files open on it; counted up while s.mu is read-locked
	links    uint32       // names; 0 when it only lives in open files
	dos      vfs.DOSAttr
	mode     uint32
	uid, gid uint32
	birth    time.Time
	modified time.Time
	changed  time.Time
	accessed time.Time

	streams []*stream
	mac     vfs.Mac // but for Resource, which is the size of a stream

	data   data   // of a file
	dir    *dir   // of a folder
	self   *entry // of a folder but the root: its only name
	target string // of a symbolic link
}

// entry is one name of a node. It stays one entry through renames, so that
// whoever opened the node by it knows its path.
type entry struct {
	parent *node // a folder
	name   string
	node   *node
	seq    uint64 // place in the parent's listing
	gone   bool   // taken away
	same   *entry // further entry whose name folds to the same key
}

// path returns the path of e. A nil entry is the root's.
func (e *entry) path() string {
	if e == nil {
		return ""
	}
	if e.parent.self == nil {
		return e.name
	}
	return e.parent.self.path() + "/" + e.name
}

// dir holds the names of a folder.
type dir struct {
	byKey   map[string]*entry // by folded name
	order   []place           // ascending by seq
	empty   int               // how many of order are
	lastSeq uint64
}

// place is one name's place in the listing of a folder.
type place struct {
	seq uint64
	e   *entry // nil when it was taken out
}

// newNode returns a node without names. The caller holds s.mu or is New.
func (s *FS) newNode(typ vfs.Type, c *vfs.Caller, mode uint32) *node {
	now := s.now()
	s.lastID++
	s.nodes++
	n := &node{
		id: s.lastID, typ: typ,
		mode: mode, uid: c.UID, gid: c.GID,
		birth: now, modified: now, changed: now, accessed: now,
	}
	if typ == vfs.TypeDir {
		n.dir = &dir{byKey: map[string]*entry{}}
	}
	return n
}

// attr returns n's attributes, as found by e and seen by who opened f.
func (f *file) attr(n *node, e *entry) vfs.Attr {
	a := vfs.Attr{
		Type: n.typ, DOS: n.dos,
		Size: n.data.size, Allocated: n.data.charge(),
		Links: n.links, Mode: n.mode, UID: n.uid, GID: n.gid,
		Device: f.fs.id, ID: n.id,
		Birth: n.birth, Modified: n.modified, Changed: n.changed, Accessed: n.accessed,
	}
	if e != nil {
		a.Parent = e.parent.id
	}
	switch {
	case n.typ == vfs.TypeDir:
		a.DOS |= vfs.DOSDirectory
	case n.typ == vfs.TypeSymlink && !f.noFollow: // it leads nowhere
		a.Type = vfs.TypeFile
	case n.typ == vfs.TypeSymlink:
		a.DOS |= vfs.DOSReparse
		a.Size = int64(len(n.target))
	}
	return a
}

// key returns what names are compared by.
func (s *FS) key(name string) string {
	if s.caseSensitive {
		return name
	}
	return fold(name)
}

// fold upper-cases each character by itself. Bytes that are no UTF-8, such as
// those of lone surrogates, stay.
func fold(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 {
			b.WriteByte(name[i])
		} else {
			b.WriteRune(unicode.ToUpper(r))
		}
		i += n
	}
	return b.String()
}

// find returns the entry of d with the exact name, else, unless exact is
// asked for, the oldest one that compares equal; nil when there is none.
func (s *FS) find(d *node, name string, exact bool) *entry {
	first := d.dir.byKey[s.key(name)]
	for e := first; e != nil; e = e.same {
		if e.name == name {
			return e
		}
	}
	if exact {
		return nil
	}
	return first
}

// insert puts e into its parent's names, at the end.
func (s *FS) insert(e *entry) {
	d := e.parent.dir
	d.lastSeq++
	e.seq = d.lastSeq
	d.order = append(d.order, place{e.seq, e})
	s.index(e)
}

// index puts e behind all entries with the same key.
func (s *FS) index(e *entry) {
	d := e.parent.dir
	key := s.key(e.name)
	last := d.byKey[key]
	if last == nil {
		d.byKey[key] = e
		return
	}
	for last.same != nil {
		last = last.same
	}
	last.same = e
}

// unindex is the opposite of index.
func (s *FS) unindex(e *entry) {
	d := e.parent.dir
	key := s.key(e.name)
	if first := d.byKey[key]; first == e {
		if e.same == nil {
			delete(d.byKey, key)
		} else {
			d.byKey[key] = e.same
		}
	} else {
		for first.same != e {
			first = first.same
		}
		first.same = e.same
	}
	e.same = nil
}

// takeOut takes e out of its parent's names. Its place in the order stays, empty,
// until half of all are.
func (s *FS) takeOut(e *entry) {
	s.unindex(e)
	d := e.parent.dir
	d.order[d.after(e.seq)-1].e = nil
	if d.empty++; d.empty*2 > len(d.order) {
		d.order = slices.DeleteFunc(d.order, func(p place) bool { return p.e == nil })
		d.empty = 0
	}
}

// after returns the index of the first place behind seq.
func (d *dir) after(seq uint64) int {
	return sort.Search(len(d.order), func(i int) bool { return d.order[i].seq > seq })
}
