package lock

import "slices"

// Waiter is a request that waits for a range.
type Waiter struct {
	owner   *Owner
	r       Range
	granted func() // called when it was
}

// Wait locks r for o now or as soon as it is free; nil means that it is locked.
// Who came first is served first: a later request waits for an earlier one that
// it overlaps, unless both are shared or of one owner. Owners that have ranges
// already are excepted, or two could wait for each other without need. granted is called by
// the call that made the range free and must call no method of s. A request
// that waits ends with granted, Cancel or the Release of its owner.
func (s *Ranges) Wait(o *Owner, r Range, granted func()) *Waiter {
	w := &Waiter{owner: o, r: r, granted: granted}
	if s.serve(w, s.waiters) {
		return nil
	}
	s.waiters = append(s.waiters, w)
	return w
}

// Cancel ends a request that may still wait.
func (s *Ranges) Cancel(w *Waiter) {
	i := slices.Index(s.waiters, w)
	if i < 0 {
		return
	}
	s.waiters = slices.Delete(s.waiters, i, i+1)
	s.wake(w.r) // who stood behind it need no longer
}

// Range returns what w waits for.
func (w *Waiter) Range() Range { return w.r }

// InWay returns the owners that w waits for, each once, at most so many: of
// ranges that are in its way or, when there are none, of a request that came
// first. It returns none for one that waits no more.
func (s *Ranges) InWay(w *Waiter, most int) []*Owner {
	var all []*Owner
	add := func(o *Owner) bool {
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
		return len(all) < most
	}
	except := w.owner
	if w.r.Exclusive {
		except = nil
	}
	s.exclusive.each(w.r, except, add)
	if w.r.Exclusive && len(all) < most {
		s.shared.each(w.r, nil, add)
	}
	if len(all) == 0 {
		if v := w.behind(s.waiters[:max(0, slices.Index(s.waiters, w))]); v != nil {
			add(v.owner)
		}
	}
	return all
}

// serve locks what w wants unless it is taken or one of those before it comes
// first.
func (s *Ranges) serve(w *Waiter, before []*Waiter) bool {
	if w.owner.count == 0 && w.behind(before) != nil {
		return false
	}
	return s.Lock(w.owner, w.r)
}

// behind returns the first of those before w whose range is in the way of its, or
// nil.
func (w *Waiter) behind(before []*Waiter) *Waiter {
	for _, v := range before {
		if v.owner != w.owner && (v.r.Exclusive || w.r.Exclusive) && v.r.overlaps(w.r) {
			return v
		}
	}
	return nil
}

// wake serves those who waited for freed.
func (s *Ranges) wake(freed Range) {
	waiting := s.waiters
	s.waiters = waiting[:0] // those that go on waiting
	var taken *Owner        // who has all of freed by now
	for _, w := range waiting {
		hit := w.r.overlaps(freed) && (taken == nil || taken == w.owner)
		if hit && s.serve(w, s.waiters) {
			w.granted()
			if w.r.Exclusive && w.r.covers(freed) {
				taken = w.owner // which keeps a long queue for one range cheap
			}
		} else {
			s.waiters = append(s.waiters, w)
		}
	}
	clear(waiting[len(s.waiters):])
}
