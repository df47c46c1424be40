package catalog

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
)

// memTable is a table that remembers all states that it had, so that a power cut
// can take it back to any since the last checkpoint.
type memTable struct {
	clock func() int // of the disk's events

	mu     sync.Mutex
	states []memState
	floors []floor
}

type memState struct {
	began   int // by the clock, when it could first be found
	head    head
	entries map[CNID]Entry
	ids     map[Identity]CNID
}

// floor says that from a moment on no state before index is found.
type floor struct{ ended, index int }

func newMemTable(clock func() int) *memTable {
	return &memTable{clock: clock, states: []memState{{entries: map[CNID]Entry{}, ids: map[Identity]CNID{}}}}
}

// after returns the tables that may be found after so many events.
func (t *memTable) after(events int) []memState {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := 0
	for _, f := range t.floors {
		if f.ended <= events {
			first = f.index
		}
	}
	end := len(t.states)
	for end > first+1 && t.states[end-1].began > events {
		end--
	}
	return t.states[first:end]
}

// start makes a table begin with a state, for whoever opens it.
func (s memState) start(clock func() int) func(string) (table, error) {
	return func(string) (table, error) {
		t := newMemTable(clock)
		s.began = 0
		t.states = []memState{s}
		return t, nil
	}
}

func (t *memTable) last() memState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.states[len(t.states)-1]
}

func (t *memTable) Head(context.Context) (head, error) { return t.last().head, nil }

func (t *memTable) Apply(_ context.Context, changes []Entry, h head) error {
	s := t.last()
	s.began = t.clock()
	s.entries, s.ids = maps.Clone(s.entries), maps.Clone(s.ids)
	drop := func(id CNID) {
		if e, ok := s.entries[id]; ok && s.ids[e.Identity] == id {
			delete(s.ids, e.Identity)
		}
		delete(s.entries, id)
	}
	for _, e := range changes {
		drop(e.ID)
		if e.gone() {
			continue
		}
		if id, ok := s.ids[e.Identity]; ok {
			drop(id)
		}
		s.entries[e.ID], s.ids[e.Identity] = e, e.ID
	}
	if h != (head{}) {
		s.head = h
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states = append(t.states, s)
	return nil
}

func (t *memTable) Range(_ context.Context, from, to CNID, most int) ([]Entry, error) {
	s := t.last()
	var all []Entry
	for _, id := range slices.Sorted(maps.Keys(s.entries)) {
		if id >= from && id <= to && len(all) < most {
			all = append(all, s.entries[id])
		}
	}
	return all, nil
}

func (t *memTable) Find(_ context.Context, i Identity) (CNID, error) { return t.last().ids[i], nil }

func (t *memTable) Count(context.Context) (int64, error) { return int64(len(t.last().entries)), nil }

func (t *memTable) Top(context.Context) (top CNID, err error) {
	for id := range t.last().entries {
		top = max(top, id)
	}
	return top, nil
}

func (t *memTable) Checkpoint(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.floors = append(t.floors, floor{t.clock(), len(t.states) - 1})
	return nil
}

func (t *memTable) Reset(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states = append(t.states, memState{began: t.clock(), entries: map[CNID]Entry{}, ids: map[Identity]CNID{}})
	return nil
}

func (t *memTable) Close() error { return nil }

// TestTablesAgree makes the same changes to SQLite's table and to the tests'.
func TestTablesAgree(t *testing.T) {
	mem := newMemTable(func() int { return 0 })
	lite, err := openSQLite(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close()
	rng := newRand(t)
	for round := range 60 {
		var changes []Entry
		for range rng.IntN(20) {
			e := node(rng.IntN(60), CNID(rng.IntN(5)+2)).Entry
			e.ID = CNID(rng.IntN(80) + 17)
			if round%3 == 0 {
				e.ID += last - 200
			}
			if rng.IntN(4) == 0 {
				e.Type = 0
			}
			if rng.IntN(9) == 0 {
				e.Name = "\xed\xa0\x80\x00'--" + e.Name
			}
			changes = append(changes, e)
		}
		h := head{tag{1}, place{uint32(round + 1), int64(round) << 40}, last}
		for _, t2 := range []table{mem, lite} {
			if err := t2.Apply(t.Context(), changes, h); err != nil {
				t.Fatal(err)
			}
		}
		if round == 40 {
			mem.Reset(t.Context())
			if err := lite.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if round%10 == 0 {
			if err := lite.Checkpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "Head", mem.Head, lite.Head)
		same(t, "Count", mem.Count, lite.Count)
		same(t, "Top", mem.Top, lite.Top)
		from := CNID(rng.IntN(100))
		if round%2 == 0 {
			from += last - 200
		}
		a, _ := mem.Range(t.Context(), from, from+40, 30)
		b, err := lite.Range(t.Context(), from, from+40, 30)
		if !slices.Equal(a, b) || err != nil {
			t.Fatalf("Range(%d): %+v and %+v, %v", from, a, b, err)
		}
		for n := range 60 {
			a, _ := mem.Find(t.Context(), ident(n))
			if b, err := lite.Find(t.Context(), ident(n)); a != b || err != nil {
				t.Fatalf("Find: %d and %d, %v", a, b, err)
			}
		}
	}
}

func same[T comparable](t *testing.T, what string, a, b func(context.Context) (T, error)) {
	t.Helper()
	x, _ := a(t.Context())
	if y, err := b(t.Context()); x != y || err != nil {
		t.Fatalf("%s: %v and %v, %v", what, x, y, err)
	}
}
