// Package lock knows the rules by which opens of one file get in each other's
// way: byte ranges, share modes and oplocks. It does no I/O, reads no clock and
// takes no lock of its own: package share calls it under the lock of the
// file's row.
package lock

import "slices"

// Range is a byte range to be locked or unlocked ([MS-FSA] 2.1.5.8). Offset
// plus Length must not exceed 2^64.
//
// A range of length zero lies between two bytes. It is in the way of a range
// that holds both, never of one that begins or ends there, nor of another of
// length zero.
type Range struct {
	Offset, Length uint64
	Exclusive      bool
}

// last returns the last byte of r, or Offset when r is empty.
func (r Range) last() uint64 {
	if r.Length == 0 {
		return r.Offset
	}
	return r.Offset + r.Length - 1
}

// overlaps reports whether r and s are in each other's way.
func (r Range) overlaps(s Range) bool {
	switch {
	case r.Length == 0 && s.Length == 0:
		return false
	case r.Length == 0:
		return s.Offset < r.Offset && r.Offset <= s.last()
	case s.Length == 0:
		return r.Offset < s.Offset && s.Offset <= r.last()
	}
	return r.Offset <= s.last() && s.Offset <= r.last()
}

// covers reports whether everything in the way of s is in the way of r.
func (r Range) covers(s Range) bool {
	return r.Length > 0 && r.Offset <= s.Offset && s.last() <= r.last() && (s.Length > 0 || r.overlaps(s))
}

// Owner is one open's part in the byte ranges of its file. The zero Owner owns
// none.
type Owner struct {
	Of any // whose it is: for the caller, not used here

	id    uint64 // orders owners in a tree; given with the first range
	held  *held  // list of all it owns
	count int
}

// Count returns how many ranges o owns.
func (o *Owner) Count() int { return o.count }

// Held returns the ranges that o owns, each once, at most so many, the last
// locked first.
func (o *Owner) Held(most int) []Range {
	var all []Range
	for h := o.held; h != nil && len(all) < most; h = h.next {
		all = append(all, h.r)
	}
	return all
}

// Ranges are the byte ranges locked in one file and the requests that wait for
// some. Locking, unlocking and checking take a time that grows with the
// logarithm of their number. The zero Ranges is that of a file without locks.
type Ranges struct {
	exclusive tree // these never overlap each other
	shared    tree
	lastOwner uint64
	waiters   []*Waiter // in the order they came
}

// Empty reports whether nothing is locked and nobody waits.
func (s *Ranges) Empty() bool {
	return s.exclusive.root == nil && s.shared.root == nil && len(s.waiters) == 0
}

// Locked reports whether anything is locked.
func (s *Ranges) Locked() bool { return s.exclusive.root != nil || s.shared.root != nil }

// MayRead reports whether o may read the bytes ([MS-FSA] 2.1.4.10): no other
// has locked one of them exclusively.
func (s *Ranges) MayRead(o *Owner, offset, length uint64) bool {
	if length == 0 {
		return true
	}
	return !s.exclusive.find(Range{Offset: offset, Length: length}, o)
}

// MayWrite reports whether o may write the bytes ([MS-FSA] 2.1.4.10): no other
// has locked one of them, and none is locked shared, not even by o.
func (s *Ranges) MayWrite(o *Owner, offset, length uint64) bool {
	if length == 0 {
		return true
	}
	r := Range{Offset: offset, Length: length}
	return !s.exclusive.find(r, o) && !s.shared.find(r, nil)
}

// Lock locks r for o, or reports false if it is not free ([MS-FSA] 2.1.5.8).
// An exclusive range overlaps no other; a shared one overlaps shared ones and
// the exclusive ones of its owner. Those who wait are passed by.
func (s *Ranges) Lock(o *Owner, r Range) bool {
	if !s.free(o, r) {
		return false
	}
	s.insert(o, r)
	return true
}

// free reports whether o may lock r.
func (s *Ranges) free(o *Owner, r Range) bool {
	if r.Exclusive {
		return !s.exclusive.find(r, nil) && !s.shared.find(r, nil)
	}
	return !s.exclusive.find(r, o)
}

// Unlock unlocks one range of o with just this offset and length, if there are
// several an exclusive one ([MS-FSA] 2.1.5.9). It reports false if there is
// none.
func (s *Ranges) Unlock(o *Owner, offset, length uint64) bool {
	r := Range{Offset: offset, Length: length, Exclusive: true}
	if s.Undo(o, r) {
		return true
	}
	r.Exclusive = false
	return s.Undo(o, r)
}

// Undo unlocks just what one Lock of r by o locked.
func (s *Ranges) Undo(o *Owner, r Range) bool {
	h := s.tree(r).exact(o, r)
	if h == nil {
		return false
	}
	o.count--
	if h.times--; h.times == 0 {
		s.remove(h)
	}
	s.wake(r)
	return true
}

// Release unlocks all ranges of o and ends its requests that wait.
func (s *Ranges) Release(o *Owner) {
	var freed []Range
	s.waiters = slices.DeleteFunc(s.waiters, func(w *Waiter) bool {
		if w.owner == o {
			freed = append(freed, w.r)
		}
		return w.owner == o
	})
	for h := o.held; h != nil; h = o.held {
		o.count -= h.times
		s.remove(h)
		if len(s.waiters) > 0 {
			freed = append(freed, h.r)
		}
	}
	for _, r := range freed {
		s.wake(r)
	}
}

func (s *Ranges) tree(r Range) *tree {
	if r.Exclusive {
		return &s.exclusive
	}
	return &s.shared
}

func (s *Ranges) insert(o *Owner, r Range) {
	if o.id == 0 {
		s.lastOwner++
		o.id = s.lastOwner
	}
	o.count++
	t := s.tree(r)
	if h := t.exact(o, r); h != nil {
		h.times++
		return
	}
	h := &held{r: r, owner: o, times: 1, max: r.last(), next: o.held}
	if o.held != nil {
		o.held.prev = h
	}
	o.held = h
	t.insert(h)
}

// remove takes h out of its tree and its owner's list.
func (s *Ranges) remove(h *held) {
	s.tree(h.r).remove(h)
	if h.prev != nil {
		h.prev.next = h.next
	} else {
		h.owner.held = h.next
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
}
