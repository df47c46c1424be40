package names

import (
	"bytes"
	"hash/maphash"

	"github.com/dozo-server/dozo/vfs"
)

// An index finds the names of one folder by their keys, at a cost that does
// not grow with the folder. Several names may have one key, if a local process
// made them; all are kept.
//
// The names are in an arena, slots lead to them: from a key to the first of its
// names, see spellings. A name that has others given to it, an alias or an 8.3
// name, has further slots by the keys of these. Up to fewNames there are no
// slots.
//
// An index is not safe for concurrent use.
type index struct {
	fold    folding
	seed    maphash.Seed // of the process: clients choose names
	names   arena
	slots   slots // none while tabled is false
	tabled  bool
	more    map[string]*spellings // of keys that have several names; none while tabled is false
	live    int
	clashes int // names that have another one's key
	odd     int // names that a disk may fold otherwise: see isOdd
}

const fewNames = 16

func newIndex(f folding, seed maphash.Seed) *index { return &index{fold: f, seed: seed} }

// keyBuffer holds the keys of most names without an allocation.
type keyBuffer [192]byte

// hashKey reduces a key to what slots hold.
func hashKey(seed maphash.Seed, key []byte) uint32 { return uint32(maphash.Bytes(seed, key) >> 32) }

// add enters a name; if it is there already, in this spelling, only its type
// is noted. clash tells that it is new and another spelling is there. ok is
// false when the index is full or the name longer than file systems hold.
func (x *index) add(name []byte, typ vfs.Type) (clash, ok bool) {
	if len(name) > maxIndexed {
		return false, false
	}
	var buf keyBuffer
	key := appendKey(x.fold, buf[:0], name)
	hash := hashKey(x.seed, key)
	first := x.first(key, hash)
	if same := x.same(name, first); same != noRecord {
		x.names.retype(same, typ)
		return false, true
	}
	clash = first != noRecord
	off, ok := x.names.add(name, typ, mayHaveAlias(name))
	if !ok {
		return false, false
	}
	x.live++
	if clash {
		x.clashes++
	}
	if isOdd(name) {
		x.odd++
	}
	switch {
	case x.tabled:
		x.enter(off, first, key, hash)
	case x.live > fewNames:
		x.tabulate()
	}
	return clash, true
}

// remove takes a name out, in just this spelling, and reports whether it was
// there.
func (x *index) remove(name []byte) bool {
	var buf keyBuffer
	key := appendKey(x.fold, buf[:0], name)
	hash := hashKey(x.seed, key)
	first := x.first(key, hash)
	off := x.same(name, first)
	if off == noRecord {
		return false
	}
	x.names.kill(off)
	x.live--
	if x.tabled {
		x.leave(off, first, key, hash)
		x.eachGiven(x.names.at(off), func(hash uint32) { x.slots.take(hash, off) })
	}
	if x.clashes > 0 && x.first(key, hash) != noRecord {
		x.clashes--
	}
	if isOdd(name) {
		x.odd--
	}
	if x.names.dead > 4<<10 && x.names.dead > x.names.used/2 {
		x.compact()
	}
	return true
}

// find returns the name that a client means by name: the same spelling if it
// is there, else the first in the order of bytes of those with the same key,
// else of those that it is given to.
func (x *index) find(name string) (found record, ok bool) {
	var buf keyBuffer
	key := appendKey(x.fold, buf[:0], name)
	given := mayBeGiven(name)
	var byGiven record
	for p := x.probe(hashKey(x.seed, key)); ; {
		off, more := p.next()
		if !more {
			break
		}
		r := x.names.at(off)
		switch {
		case string(r.name) == name:
			return r, true
		case x.hasKey(r.name, key):
			if !ok || bytes.Compare(r.name, found.name) < 0 {
				found, ok = r, true
			}
		case given && (byGiven.name == nil || bytes.Compare(r.name, byGiven.name) < 0) && givenTo(x.fold, r.name, r.alias).has(x.fold, key):
			byGiven = r
		}
	}
	switch {
	case !ok && byGiven.name != nil:
		return byGiven, true
	case ok && x.clashes > 0:
		if same := x.bySpelling(name); same != noRecord {
			found = x.names.at(same)
		}
	}
	return found, ok
}

// found returns what clients are told of a record. One that is spelled on disk
// with private characters is shown as it is, unless the name that they stand
// for is there, too.
func (x *index) found(r record) found {
	f := found{string(r.name), Shown(string(r.name)), r.typ}
	if r.alias && f.shown == f.name {
		if plain, err := onDisk(f.name); err == nil && x.has(plain) {
			f.shown = alias(f.name)
		}
	}
	return f
}

// has reports whether name is there in just this spelling.
func (x *index) has(name string) bool {
	r, ok := x.find(name)
	return ok && string(r.name) == name
}

// hasKey reports whether name has the key.
func (x *index) hasKey(name, key []byte) bool {
	var buf keyBuffer
	return bytes.Equal(appendKey(x.fold, buf[:0], name), key)
}

func (x *index) hash(name []byte) uint32 {
	var buf keyBuffer
	return hashKey(x.seed, appendKey(x.fold, buf[:0], name))
}

// enter gives the record at off, whose key has the hash, its slots. first is
// that of the key.
func (x *index) enter(off, first uint32, key []byte, hash uint32) {
	if first == noRecord {
		x.slots.put(hash, off)
	} else {
		x.join(off, first, key, hash)
	}
	x.eachGiven(x.names.at(off), func(hash uint32) { x.slots.put(hash, off) })
}

// tabulate begins the slots of an index that had few names.
func (x *index) tabulate() {
	x.slots, x.tabled = slots{tables: make([]table, 1)}, true
	for c := x.names.cursor(); ; {
		r, off, ok := c.next()
		if !ok {
			return
		}
		var buf keyBuffer
		key := appendKey(x.fold, buf[:0], r.name)
		hash := hashKey(x.seed, key)
		x.enter(off, x.first(key, hash), key, hash)
	}
}

// trim gives back memory once the names of a folder were entered.
func (x *index) trim() {
	x.names.trim()
	x.slots.trim()
}

// bytes returns the memory that the index takes.
func (x *index) bytes() int64 {
	return indexOverhead + int64(x.names.bytes+x.slots.bytes()+x.clashes*8+len(x.more)*spellingsBytes)
}

const indexOverhead = 256

// compact moves the living names to an arena of their own. Cursors go on in
// the old one.
func (x *index) compact() {
	var fresh arena
	moved := make(map[uint32]uint32) // of records that several ways lead to
	move := func(off uint32) uint32 {
		if to, ok := moved[off]; ok {
			return to
		}
		r := x.names.at(off)
		to, _ := fresh.add(r.name, r.typ, r.alias)
		if r.alias || x.fold.shorts || len(x.more) > 0 {
			moved[off] = to
		}
		return to
	}
	if x.tabled {
		x.slots.move(move)
	} else {
		for c := x.names.cursor(); ; {
			_, off, ok := c.next()
			if !ok {
				break
			}
			move(off)
		}
	}
	x.names = fresh
	for _, s := range x.more {
		s.sweep(func(off uint32) (uint32, bool) { to, ok := moved[off]; return to, ok })
	}
	x.trim()
	if x.live <= fewNames {
		x.slots, x.tabled, x.more = slots{}, false, nil
	}
}
