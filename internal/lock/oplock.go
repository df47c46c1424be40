package lock

// Oplock is the level of an opportunistic lock, in rising order ([MS-FSA]
// 2.1.5.17, [MS-SMB2] 2.2.13).
type Oplock uint8

// The levels.
const (
	None      Oplock = iota
	LevelII          // reads may be cached; several opens may hold one
	Exclusive        // reads, writes and byte ranges may be cached
	Batch            // and the open may be kept after the program closed it
)

var oplockNames = [...]string{None: "none", LevelII: "level II", Exclusive: "exclusive", Batch: "batch"}

func (o Oplock) String() string {
	if int(o) < len(oplockNames) {
		return oplockNames[o]
	}
	return "unknown"
}

// Holder is one open's part in the oplocks of its file. The zero Holder holds
// nothing.
type Holder struct {
	Of any // whose it is: for the caller, not used here

	level      Oplock // until a break is acknowledged, the one from before
	breaking   bool
	to         Oplock  // what it may keep, while breaking
	prev, next *Holder // in Oplocks.second
}

// Level returns what h holds. During a break it is still the old level.
func (h *Holder) Level() Oplock { return h.level }

// Breaking reports whether h owes an answer to a break.
func (h *Holder) Breaking() bool { return h.breaking }

// Oplocks are the oplocks on one file: either one exclusive or batch, whose
// holder is the only open but for those that look at attributes, or any
// number of level II.
//
//	none --Request--> exclusive, batch --Break--> breaking --Acknowledge--> level II or none
//	none --Request--> level II --Break(None)--> none
//
// The zero Oplocks holds none.
type Oplocks struct {
	first  *Holder // of the exclusive or batch oplock
	second *Holder // list of those of level II
}

// Top returns the highest level held.
func (s *Oplocks) Top() Oplock {
	switch {
	case s.first != nil:
		return s.first.level
	case s.second != nil:
		return LevelII
	}
	return None
}

// Breaking reports whether an answer to a break is owed.
func (s *Oplocks) Breaking() bool { return s.first != nil && s.first.breaking }

// First returns the holder of the exclusive or batch oplock, or nil.
func (s *Oplocks) First() *Holder { return s.first }

// Request gives h, which holds none, the level want or what can be had of it
// ([MS-FSA] 2.1.5.17.1 and .2; that a refused exclusive oplock becomes one of
// level II is what servers of Windows do). alone says that h's is the only
// open of the file, ranges that byte ranges are locked, which forbids
// level II.
func (s *Oplocks) Request(h *Holder, want Oplock, alone, ranges bool) Oplock {
	switch {
	case want >= Exclusive && alone:
		h.level = want
		s.first = h
	case want >= LevelII && s.first == nil && !ranges:
		s.push(h)
	}
	return h.level
}

// Break makes all holders give up what is more than to, which is None or
// LevelII, because of something that the open of by does ([MS-FSA] 2.1.4.12).
// by may be nil, for an open that is not made yet. tell is called for each
// holder that has to be told. If wait is true by has to wait until the
// exclusive oplock of another was acknowledged, released or expired, and then
// has to call Break again.
//
// Holders of level II give it up at once, the one of by as well: by changes
// the file behind what its own client has cached by level II.
func (s *Oplocks) Break(to Oplock, by *Holder, tell func(*Holder)) (wait bool) {
	if h := s.first; h != nil {
		if h == by {
			return false
		}
		if !h.breaking {
			h.breaking, h.to = true, to
			tell(h)
		}
		return true
	}
	if to == None {
		for s.second != nil {
			h := s.second
			s.pop(h)
			tell(h)
		}
	}
	return false
}

// Acknowledge ends the break that h was told of, with h keeping level. It
// reports false, and changes nothing, if h is not breaking or may not keep that
// much.
func (s *Oplocks) Acknowledge(h *Holder, level Oplock) bool {
	if !h.breaking || level > h.to {
		return false
	}
	s.Release(h)
	if level == LevelII {
		s.push(h)
	}
	return true
}

// Release takes away what h holds: its open is closed, or did not answer a
// break in time.
func (s *Oplocks) Release(h *Holder) {
	switch {
	case s.first == h:
		s.first = nil
		h.level, h.breaking = None, false
	case h.level == LevelII:
		s.pop(h)
	}
}

// push and pop keep the list of level II.
func (s *Oplocks) push(h *Holder) {
	h.level = LevelII
	h.next = s.second
	if h.next != nil {
		h.next.prev = h
	}
	s.second = h
}

func (s *Oplocks) pop(h *Holder) {
	if h.prev != nil {
		h.prev.next = h.next
	} else {
		s.second = h.next
	}
	if h.next != nil {
		h.next.prev = h.prev
	}
	h.level, h.prev, h.next = None, nil, nil
}
