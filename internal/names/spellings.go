package names

import (
	"bytes"
	"container/heap"
	"hash/maphash"
	"iter"
	"slices"
)

// A local process can make many spellings of one name: of twenty letters a
// million. So that this costs nobody more than as many names, only one of the
// names with a key has its slot by that, the first in the order of bytes, which
// is found by any spelling. The others have theirs by their own spelling. What
// leads from a key to them is here: spellings are the names with one key but
// for the first of them, the next one in front.
//
// They are a heap. A record that died stays in it until it comes to the front,
// or until there are more of the kind than others.
type spellings struct {
	names *arena
	offs  []uint32
	live  int
}

// spellingsBytes is about what a key with spellings takes in index.more.
const spellingsBytes = 120

// noRecord is no offset of a record.
const noRecord = ^uint32(0)

// spellingHash is the hash by which slots hold a spelling that is not the first
// of its key. It differs from that of a key with the same bytes.
func (x *index) spellingHash(name string) uint32 { return ^uint32(maphash.String(x.seed, name) >> 32) }

// first returns the first in the order of bytes of the records with the key,
// noRecord if there is none.
func (x *index) first(key []byte, hash uint32) uint32 {
	first := noRecord
	for p := x.probe(hash); ; {
		off, more := p.next()
		if !more {
			return first
		}
		name := x.names.at(off).name
		if x.hasKey(name, key) && (first == noRecord || bytes.Compare(name, x.names.at(first).name) < 0) {
			first = off
		}
	}
}

// same returns the record that is spelled just as name, noRecord if there is
// none. first is that of its key.
func (x *index) same(name []byte, first uint32) uint32 {
	switch {
	case first == noRecord || bytes.Equal(x.names.at(first).name, name):
		return first
	case x.clashes == 0:
		return noRecord
	}
	return x.bySpelling(string(name))
}

// bySpelling is same for a name that is not the first of its key.
func (x *index) bySpelling(name string) uint32 {
	for p := x.probe(x.spellingHash(name)); ; {
		off, more := p.next()
		if !more {
			return noRecord
		}
		if string(x.names.at(off).name) == name {
			return off
		}
	}
}

// join gives the record at off, whose key has the hash, its slot beside first,
// which has the same key.
func (x *index) join(off, first uint32, key []byte, hash uint32) {
	if bytes.Compare(x.names.at(off).name, x.names.at(first).name) < 0 {
		x.slots.take(hash, first)
		x.slots.put(hash, off)
		off = first
	}
	x.slots.put(x.spellingHash(string(x.names.at(off).name)), off)
	s := x.more[string(key)]
	if s == nil {
		if x.more == nil {
			x.more = map[string]*spellings{}
		}
		s = &spellings{names: &x.names}
		x.more[string(key)] = s
	}
	heap.Push(s, off)
	s.live++
}

// leave takes the slot by its key or spelling from the record at off, which was
// killed. first is that of its key, which has the hash.
func (x *index) leave(off, first uint32, key []byte, hash uint32) {
	s := x.more[string(key)]
	switch {
	case off != first:
		x.slots.take(x.spellingHash(string(x.names.at(off).name)), off)
		s.live--
	case s == nil:
		x.slots.take(hash, off)
		return
	default:
		next := s.next()
		x.slots.take(x.spellingHash(string(x.names.at(next).name)), next)
		x.slots.take(hash, off)
		x.slots.put(hash, next)
	}
	if s.live == 0 {
		delete(x.more, string(key))
	} else if len(s.offs) > 2*s.live {
		s.sweep(func(off uint32) (uint32, bool) { return off, !s.names.at(off).dead })
	}
}

// withKey yields the records with the key.
func (x *index) withKey(key []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if !x.tabled {
			for c := x.names.cursor(); ; {
				r, off, ok := c.next()
				if !ok || x.hasKey(r.name, key) && !yield(off) {
					return
				}
			}
		}
		if first := x.first(key, hashKey(x.seed, key)); first == noRecord || !yield(first) {
			return
		}
		if s := x.more[string(key)]; s != nil {
			for _, off := range s.offs {
				if !x.names.at(off).dead && !yield(off) {
					return
				}
			}
		}
	}
}

// others yields the names with the key of name, but for name itself.
func (x *index) others(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for off := range x.withKey(appendKey(x.fold, nil, name)) {
			if other := string(x.names.at(off).name); other != name && !yield(other) {
				return
			}
		}
	}
}

// alone reports whether no other spelling of name is in the index.
func (x *index) alone(name string) bool {
	for range x.others(name) {
		return false
	}
	return true
}

// clashing returns some names that share a key with another, at most limit.
func (x *index) clashing(limit int) (names []string) {
	for c := x.names.cursor(); x.clashes > 0 && len(names) < limit; {
		r, _, ok := c.next()
		if !ok {
			break
		}
		if name := string(r.name); !x.alone(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// next takes out the one in front.
func (s *spellings) next() uint32 {
	for {
		if off := heap.Pop(s).(uint32); !s.names.at(off).dead {
			s.live--
			return off
		}
	}
}

// sweep replaces each offset, or leaves it out.
func (s *spellings) sweep(to func(off uint32) (uint32, bool)) {
	kept := make([]uint32, 0, s.live)
	for _, off := range s.offs {
		if off, ok := to(off); ok {
			kept = append(kept, off)
		}
	}
	s.offs = kept
	heap.Init(s)
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (s *spellings) Len() int { return len(s.offs) }

func (s *spellings) Less(i, j int) bool {
	return bytes.Compare(s.names.at(s.offs[i]).name, s.names.at(s.offs[j]).name) < 0
}

func (s *spellings) Swap(i, j int) { s.offs[i], s.offs[j] = s.offs[j], s.offs[i] }

func (s *spellings) Push(off any) { s.offs = append(s.offs, off.(uint32)) }

func (s *spellings) Pop() any {
	last := s.offs[len(s.offs)-1]
	s.offs = s.offs[:len(s.offs)-1]
	return last
}
