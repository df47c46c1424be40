package lock

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func excl(offset, length uint64) Range {
	return Range{Offset: offset, Length: length, Exclusive: true}
}

func shared(offset, length uint64) Range { return Range{Offset: offset, Length: length} }

// Ranges in each other's way, as Windows has it for lengths of zero.
func TestOverlaps(t *testing.T) {
	tests := []struct {
		a, b Range
		want bool
	}{
		{excl(10, 1), excl(10, 1), true},
		{excl(10, 1), excl(11, 1), false},
		{excl(10, 5), excl(14, 1), true},
		{excl(10, 5), excl(15, 1), false},
		{excl(0, math.MaxUint64), excl(math.MaxUint64-1, 1), true},
		{excl(math.MaxUint64, 1), excl(math.MaxUint64, 1), true}, // ends at 2^64
		{excl(0, math.MaxUint64), excl(math.MaxUint64, 1), false},
		{excl(10, 0), excl(10, 0), false},
		{excl(10, 0), excl(9, 1), false},
		{excl(10, 0), excl(10, 1), false},
		{excl(10, 0), excl(11, 1), false},
		{excl(10, 0), excl(9, 2), true},
		{excl(10, 0), excl(10, 2), false},
		{excl(10, 0), excl(9, 3), true},
		{excl(0, 0), excl(0, 0), false},
		{excl(math.MaxUint64, 0), excl(math.MaxUint64, 0), false},
		{excl(math.MaxUint64, 0), excl(math.MaxUint64-1, 2), true},
	}
	for _, tt := range tests {
		if got := tt.a.overlaps(tt.b); got != tt.want {
			t.Errorf("%v overlaps %v: %v", tt.a, tt.b, got)
		}
		if got := tt.b.overlaps(tt.a); got != tt.want {
			t.Errorf("%v overlaps %v: %v", tt.b, tt.a, got)
		}
	}
}

func TestStacking(t *testing.T) {
	tests := []struct {
		name          string
		first, second Range
		same, other   bool // the second is granted to the same or another open
	}{
		{"shared on shared", shared(0, 10), shared(0, 10), true, true},
		{"shared on part of shared", shared(0, 10), shared(5, 10), true, true},
		{"shared on exclusive", excl(0, 10), shared(0, 10), true, false},
		{"shared on part of exclusive", excl(0, 10), shared(5, 10), true, false},
		{"exclusive on shared", shared(0, 10), excl(0, 10), false, false},
		{"exclusive on exclusive", excl(0, 10), excl(0, 10), false, false},
		{"exclusive beside exclusive", excl(0, 10), excl(10, 10), true, true},
		{"exclusive on empty exclusive", excl(5, 0), excl(5, 0), true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, same := range []bool{true, false} {
				var s Ranges
				var a, b Owner
				by, want := &b, tt.other
				if same {
					by, want = &a, tt.same
				}
				if !s.Lock(&a, tt.first) {
					t.Fatal("the first is refused")
				}
				if got := s.Lock(by, tt.second); got != want {
					t.Errorf("same open %v: granted %v, want %v", same, got, want)
				}
			}
		})
	}
}

func TestUnlockTakesTheExclusiveOneFirst(t *testing.T) {
	var s Ranges
	var a, b Owner
	for _, r := range []Range{excl(0, 10), shared(0, 10), shared(0, 10)} {
		if !s.Lock(&a, r) {
			t.Fatalf("%v is refused", r)
		}
	}
	if s.Unlock(&b, 0, 10) || s.Unlock(&a, 0, 9) || s.Unlock(&a, 1, 9) {
		t.Error("unlocked what nobody locked")
	}
	if !s.Unlock(&a, 0, 10) {
		t.Fatal("not unlocked")
	}
	if !s.Lock(&b, shared(0, 10)) || s.Lock(&b, excl(0, 10)) {
		t.Error("the exclusive one is still there, or the shared ones are gone")
	}
	for range 2 {
		if !s.Unlock(&a, 0, 10) {
			t.Error("a shared one is missing")
		}
	}
	if s.Unlock(&a, 0, 10) {
		t.Error("unlocked too often")
	}
	s.Release(&b)
	if !s.Empty() {
		t.Error("not empty at the end")
	}
}

func TestAccess(t *testing.T) {
	var s Ranges
	var a, b Owner
	s.Lock(&a, shared(0, 10))
	s.Lock(&a, excl(20, 10))
	s.Lock(&a, excl(50, 0))
	tests := []struct {
		by             *Owner
		offset, length uint64
		read, write    bool
	}{
		{&a, 0, 10, true, false}, // nobody writes what is locked shared
		{&b, 5, 10, true, false},
		{&a, 20, 10, true, true},
		{&b, 20, 10, false, false},
		{&b, 10, 10, true, true},
		{&b, 29, 1, false, false},
		{&b, 20, 0, true, true}, // nothing is in nobody's way
		{&b, 49, 1, true, true},
		{&b, 49, 2, false, false},
	}
	for _, tt := range tests {
		if got := s.MayRead(tt.by, tt.offset, tt.length); got != tt.read {
			t.Errorf("read %d+%d by owner: %v is %v", tt.offset, tt.length, tt.by == &a, got)
		}
		if got := s.MayWrite(tt.by, tt.offset, tt.length); got != tt.write {
			t.Errorf("write %d+%d by owner: %v is %v", tt.offset, tt.length, tt.by == &a, got)
		}
	}
}

// queue lets tests see in which order waiters were served.
type queue struct {
	s      Ranges
	served []string
}

func (q *queue) wait(name string, o *Owner, r Range) *Waiter {
	return q.s.Wait(o, r, func() { q.served = append(q.served, name) })
}

func TestWaitersAreServedInOrder(t *testing.T) {
	var q queue
	var a, b, c, d, e Owner
	q.wait("a", &a, excl(0, 10))
	q.wait("b", &b, shared(0, 10))
	q.wait("c", &c, excl(5, 10))
	q.wait("d", &d, shared(8, 1))
	q.wait("e", &e, shared(20, 1))
	if len(q.served) != 0 || e.Count() != 1 || b.Count() != 0 {
		t.Fatalf("served %v, e has %d, b has %d", q.served, e.Count(), b.Count())
	}
	q.s.Unlock(&a, 0, 10)
	// d overlaps only b, which is shared like it, but c, which came before
	// d, waits for byte 8.
	if want := []string{"b"}; !slices.Equal(q.served, want) {
		t.Fatalf("served %v, want %v", q.served, want)
	}
	q.s.Release(&b)
	if want := []string{"b", "c"}; !slices.Equal(q.served, want) {
		t.Fatalf("served %v, want %v", q.served, want)
	}
	q.s.Release(&c)
	if want := []string{"b", "c", "d"}; !slices.Equal(q.served, want) {
		t.Errorf("served %v, want %v", q.served, want)
	}
}

func TestCancelLetsOthersPass(t *testing.T) {
	var q queue
	var a, b, c Owner
	q.wait("a", &a, shared(0, 10))
	w := q.wait("b", &b, excl(0, 10))
	q.wait("c", &c, shared(0, 10))
	if c.Count() != 0 {
		t.Fatal("c passed b by")
	}
	q.s.Cancel(w)
	if want := []string{"c"}; !slices.Equal(q.served, want) {
		t.Errorf("served %v, want %v", q.served, want)
	}
	q.s.Cancel(w)
	q.s.Release(&a)
	q.s.Release(&c)
	if !q.s.Empty() || b.Count() != 0 {
		t.Error("something is left")
	}
}

// Who holds a range can always take more of it, or it would wait for one that
// waits for it.
func TestOwnersDoNotQueueBehindThoseWhoWaitForThem(t *testing.T) {
	var q queue
	var a, b Owner
	q.wait("a", &a, shared(0, 10))
	q.wait("b", &b, excl(0, 10))
	if w := q.wait("a", &a, shared(5, 1)); w != nil {
		t.Error("a waits behind b, which waits for a")
	}
}

// model is Ranges in its simplest form.
type model struct {
	all []struct {
		o *Owner
		r Range
	}
}

func (m *model) free(o *Owner, r Range) bool {
	for _, h := range m.all {
		if h.r.overlaps(r) && (r.Exclusive || h.r.Exclusive && h.o != o) {
			return false
		}
	}
	return true
}

func (m *model) unlock(o *Owner, offset, length uint64) bool {
	for _, exclusive := range []bool{true, false} {
		for i, h := range m.all {
			if h.o == o && h.r == (Range{offset, length, exclusive}) {
				m.all = slices.Delete(m.all, i, i+1)
				return true
			}
		}
	}
	return false
}

func TestRangesAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		var s Ranges
		var m model
		owners := make([]*Owner, 4)
		for i := range owners {
			owners[i] = new(Owner)
		}
		span := 4 + random.Uint64N(60)
		base := uint64(0)
		if random.IntN(2) == 0 {
			base = math.MaxUint64 - span
		}
		for step := range 150 {
			o := owners[random.IntN(len(owners))]
			offset := base + random.Uint64N(span)
			length := random.Uint64N(min(6, base+span-offset+1))
			r := Range{offset, length, random.IntN(2) == 0}
			switch random.IntN(6) {
			case 0, 1, 2:
				want := m.free(o, r)
				if got := s.Lock(o, r); got != want {
					t.Fatalf("seed %d, step %d: lock %v granted %v, want %v", seed, step, r, got, want)
				}
				if want {
					m.all = append(m.all, struct {
						o *Owner
						r Range
					}{o, r})
				}
			case 3:
				if got, want := s.Unlock(o, offset, length), m.unlock(o, offset, length); got != want {
					t.Fatalf("seed %d, step %d: unlock %d+%d = %v, want %v", seed, step, offset, length, got, want)
				}
			case 4:
				if random.IntN(10) == 0 {
					s.Release(o)
					m.all = slices.DeleteFunc(m.all, func(h struct {
						o *Owner
						r Range
					}) bool {
						return h.o == o
					})
				}
			case 5:
				read, write := true, true
				for _, h := range m.all {
					if length > 0 && h.r.overlaps(r) {
						read = read && (!h.r.Exclusive || h.o == o)
						write = write && h.r.Exclusive && h.o == o
					}
				}
				if got := s.MayRead(o, offset, length); got != read {
					t.Fatalf("seed %d, step %d: read %d+%d is %v", seed, step, offset, length, got)
				}
				if got := s.MayWrite(o, offset, length); got != write {
					t.Fatalf("seed %d, step %d: write %d+%d is %v", seed, step, offset, length, got)
				}
			}
			count := 0
			for _, o := range owners {
				count += o.Count()
			}
			if count != len(m.all) || s.Locked() != (count > 0) {
				t.Fatalf("seed %d, step %d: %d ranges, want %d", seed, step, count, len(m.all))
			}
		}
	}
}

// Waiters never starve each other and everything is given back in the end.
func TestWaitersAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 2))
	for range 200 {
		var s Ranges
		type request struct {
			o       *Owner
			r       Range
			granted bool
			w       *Waiter
		}
		var waiting []*request
		owners := make([]*Owner, 5)
		for i := range owners {
			owners[i] = new(Owner)
		}
		for range 100 {
			o := owners[random.IntN(len(owners))]
			switch random.IntN(5) {
			case 0, 1, 2:
				q := &request{o: o, r: Range{random.Uint64N(20), random.Uint64N(8), random.IntN(2) == 0}}
				if q.w = s.Wait(o, q.r, func() { q.granted = true }); q.w != nil {
					waiting = append(waiting, q)
				}
			case 3:
				s.Release(o)
				waiting = slices.DeleteFunc(waiting, func(q *request) bool { return q.o == o })
			case 4:
				if len(waiting) > 0 {
					i := random.IntN(len(waiting))
					s.Cancel(waiting[i].w)
					waiting = slices.Delete(waiting, i, i+1)
				}
			}
			waiting = slices.DeleteFunc(waiting, func(q *request) bool { return q.granted })
			// Whoever is first in the queue has a reason to wait.
			if len(waiting) > 0 && s.free(waiting[0].o, waiting[0].r) {
				t.Fatalf("seed %d: the first waits for %v, which is free", seed, waiting[0].r)
			}
			// Nobody waits without somebody in the way, holding or before it.
			for i, q := range waiting {
				inTheWay := !s.free(q.o, q.r)
				for _, p := range waiting[:i] {
					inTheWay = inTheWay || p.o != q.o && p.r.overlaps(q.r) && (p.r.Exclusive || q.r.Exclusive)
				}
				if !inTheWay {
					t.Fatalf("seed %d: %v waits for nothing", seed, q.r)
				}
				holders := map[*Owner]bool{}
				for _, o := range owners {
					for _, r := range o.Held(1000) {
						if r.overlaps(q.r) && (q.r.Exclusive || r.Exclusive && o != q.o) {
							holders[o] = true
						}
					}
				}
				told := s.InWay(q.w, len(owners))
				if len(told) == 0 || len(holders) > 0 && len(told) != len(holders) || len(s.InWay(q.w, 1)) != 1 {
					t.Fatalf("seed %d: %v waits for %d owners, and is told %d", seed, q.r, len(holders), len(told))
				}
				for _, o := range told {
					if len(holders) > 0 && !holders[o] || o == q.o && len(holders) == 0 {
						t.Fatalf("seed %d: %v is told of one who is not in its way", seed, q.r)
					}
				}
			}
		}
		for _, o := range owners {
			s.Release(o)
		}
		if !s.Empty() {
			t.Fatalf("seed %d: something is left", seed)
		}
	}
}

// Ten thousand ranges, shared by all and each its own, take no longer a piece
// than ten.
func BenchmarkLock(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(map[int]string{10: "10", 10_000: "10000"}[n], func(b *testing.B) {
			var s Ranges
			owners := make([]Owner, n)
			for i := range owners {
				s.Lock(&owners[i], excl(uint64(i)*10, 5))
				s.Lock(&owners[i], shared(1<<40, 1))
			}
			var o Owner
			for i := 0; b.Loop(); i++ {
				at := uint64(i%n)*10 + 7
				if !s.Lock(&o, excl(at, 2)) || !s.Lock(&o, shared(1<<40, 1)) {
					b.Fatal("refused")
				}
				s.MayWrite(&o, at-3, 1)
				s.Release(&o)
			}
		})
	}
}
