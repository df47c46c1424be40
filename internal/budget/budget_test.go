package budget

import (
	"maps"
	"slices"
	"sync"
	"testing"
)

// shelf is a keeper of items with names; busy ones can't be dropped.
type shelf struct {
	account *Account

	mu    sync.Mutex
	items map[string]Item
	busy  map[string]bool
}

func newShelf(b *Budget) *shelf {
	s := &shelf{items: map[string]Item{}, busy: map[string]bool{}}
	s.account = b.Open(s)
	return s
}

func (s *shelf) keep(name string, bytes int64, idle float64) {
	s.mu.Lock()
	s.items[name] = Item{Idle: idle, Bytes: bytes, What: name}
	s.mu.Unlock()
	s.account.Add(bytes)
}

func (s *shelf) Items() []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Item
	for name, i := range s.items {
		if !s.busy[name] {
			all = append(all, i)
		}
	}
	return all
}

func (s *shelf) Drop(i Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, i.What.(string))
	s.account.Add(-i.Bytes)
}

func (s *shelf) kept() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.items))
}

// TestTheIdlestGoes has two keepers trim themselves, in either order: the idlest
// items of both go, whoever holds more.
func TestTheIdlestGoes(t *testing.T) {
	for _, first := range []int{0, 1} {
		b := New(100)
		shelves := []*shelf{newShelf(b), newShelf(b)}
		shelves[0].keep("a", 50, 9)
		shelves[0].keep("b", 10, 1)
		shelves[1].keep("c", 10, 7)
		shelves[1].keep("d", 30, 3)
		if b.Used() != 100 || shelves[0].account.Exceeded() {
			t.Fatalf("%d of 100 bytes are exceeded", b.Used())
		}
		shelves[1].keep("e", 40, 5) // 50 bytes must go, so that 90 are left
		for _, s := range shelves {
			select {
			case <-s.account.C():
			default:
				t.Error("a keeper was not told")
			}
		}
		shelves[first].account.Trim()
		shelves[1-first].account.Trim()
		if a, c := shelves[0].kept(), shelves[1].kept(); !slices.Equal(a, []string{"b"}) || !slices.Equal(c, []string{"c", "d", "e"}) {
			t.Errorf("%q and %q are kept", a, c)
		}
		if b.Used() != 90 || shelves[0].account.Used() != 10 || shelves[1].account.Used() != 80 {
			t.Errorf("%d bytes in all, %d and %d", b.Used(), shelves[0].account.Used(), shelves[1].account.Used())
		}
	}
}

// TestWhatIsInUseStays trims beyond what one keeper can give.
func TestWhatIsInUseStays(t *testing.T) {
	b := New(100)
	one, other := newShelf(b), newShelf(b)
	one.busy["busy"] = true
	one.keep("busy", 90, 9)
	other.keep("x", 20, 2)
	one.account.Trim()
	other.account.Trim()
	if one, other := one.kept(), other.kept(); len(one) != 1 || len(other) != 0 {
		t.Errorf("%q and %q are kept", one, other)
	}
}

// TestTheLimitFollows lowers and raises the limit.
func TestTheLimitFollows(t *testing.T) {
	b := New(100)
	s := newShelf(b)
	s.keep("x", 60, 2)
	s.keep("y", 30, 1)
	b.SetLimit(50)
	<-s.account.C()
	s.account.Trim()
	if got := s.kept(); !slices.Equal(got, []string{"y"}) {
		t.Errorf("%q are kept of 50 bytes", got)
	}
	if b.SetLimit(1000); b.Limit() != 100 {
		t.Errorf("the limit is %d", b.Limit())
	}
}

func TestCloseGivesBack(t *testing.T) {
	b := New(100)
	gone, stays := newShelf(b), newShelf(b)
	gone.keep("x", 80, 1)
	stays.keep("y", 30, 1)
	gone.account.Close()
	for range gone.account.C() { // one is left, then it is closed
	}
	if b.Used() != 30 || stays.account.Exceeded() {
		t.Errorf("%d bytes are left", b.Used())
	}
	stays.keep("z", 90, 5)
	stays.account.Trim() // the one that is gone is not asked
	if got := stays.kept(); !slices.Equal(got, []string{"y"}) {
		t.Errorf("%q are kept", got)
	}
}

// TestTogether keeps and trims with several goroutines, for the race detector,
// and ends with an account that is right.
func TestTogether(t *testing.T) {
	b := New(1000)
	var all sync.WaitGroup
	shelves := []*shelf{newShelf(b), newShelf(b), newShelf(b)}
	for _, s := range shelves {
		all.Go(func() {
			for i := range 300 {
				s.keep(string(rune('a'+i%26))+string(rune('a'+i/26)), 10, float64(i))
				s.account.Trim()
			}
		})
	}
	all.Wait()
	left := 0
	for _, s := range shelves {
		s.account.Trim()
	}
	for _, s := range shelves {
		left += len(s.kept())
	}
	if b.Used() != int64(left)*10 || b.Used() > 1000 {
		t.Errorf("%d items are kept, %d bytes", left, b.Used())
	}
}
