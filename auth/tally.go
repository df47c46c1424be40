package auth

import (
	"container/list"
	"time"
)

// limit says how wrong passwords are counted.
type limit struct {
	free   int           // so many cost nothing
	most   time.Duration // the longest wait; it doubles from a second on
	forget time.Duration // after so long without a further one all are forgotten
}

// wait is how long to wait after so many wrong passwords.
func (l *limit) wait(wrong int) time.Duration {
	over := wrong - l.free
	if over <= 0 {
		return 0
	}
	return min(time.Second<<min(over-1, 20), l.most)
}

// tally counts the wrong passwords of somebody.
type tally struct {
	key   any
	wrong int
	last  time.Time // when the last was counted
	until time.Time // when the next may be tried
	told  bool      // that this is so
}

// tallies has a bounded number of them.
type tallies[K comparable] struct {
	limit limit
	byKey map[K]*list.Element
	order list.List // of *tally, the one that was added to last in front
}

// get returns the tally of a key, and whether there is one that counts yet.
func (s *tallies[K]) get(key K, now time.Time) (*tally, bool) {
	e := s.byKey[key]
	if e == nil {
		return nil, false
	}
	t := e.Value.(*tally)
	if now.Sub(t.last) > s.limit.forget {
		s.remove(key)
		return nil, false
	}
	return t, true
}

// add counts a wrong password and reports whether it was not the first.
func (s *tallies[K]) add(key K, now time.Time) (again bool) {
	t, again := s.get(key, now)
	if again {
		s.order.MoveToFront(s.byKey[key])
	} else {
		if s.byKey == nil {
			s.byKey = map[K]*list.Element{}
		}
		if len(s.byKey) == maxTallies {
			s.remove(s.order.Back().Value.(*tally).key.(K))
		}
		t = &tally{key: key}
		s.byKey[key] = s.order.PushFront(t)
	}
	t.wrong++
	t.last, t.until, t.told = now, now.Add(s.limit.wait(t.wrong)), false
	return again
}

// lessen takes back one wrong password.
func (s *tallies[K]) lessen(key K) {
	if e := s.byKey[key]; e != nil {
		t := e.Value.(*tally)
		if t.wrong--; t.wrong == 0 {
			s.remove(key)
		}
		t.until = t.last.Add(s.limit.wait(t.wrong))
	}
}

// remove forgets a tally and reports whether there was one.
func (s *tallies[K]) remove(key K) bool {
	e := s.byKey[key]
	if e == nil {
		return false
	}
	s.order.Remove(e)
	delete(s.byKey, key)
	return true
}
