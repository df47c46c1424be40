package catalog

import (
	"slices"
	"testing"
)

// TestImport takes over ids beside those that were given, and none twice.
func TestImport(t *testing.T) {
	dir := folder(t)
	c := open(t, dir, Options{})
	ids := give(t, c, nodes(0, 3, Root)...) // 17, 18, 19
	if err := c.Remove(t.Context(), ids[2]); err != nil {
		t.Fatal(err)
	}
	entry := func(n int, id CNID) Entry {
		e := node(n, Root).Entry
		e.ID = id
		return e
	}
	refused := map[CNID]Refused{}
	entries := []Entry{
		entry(10, 5000), entry(11, 20), entry(0, 17), // well
		entry(12, 16), entry(13, last), // out of range
		entry(14, 18), entry(15, 19), // given, the latter to one that is gone
		entry(1, 30), entry(10, 31), // they have others
	}
	// An id for two nodes, one of which comes first.
	entries = append(entries, entry(16, 5001), entry(17, 5001))
	taken, err := c.Import(t.Context(), entries, func(e Entry, why Refused) {
		if e.ID != 5001 || e.Identity != ident(17) {
			refused[e.ID] = why
		}
	})
	if taken != 4 || err != nil {
		t.Fatalf("Import = %d, %v", taken, err)
	}
	want := map[CNID]Refused{16: RefusedRange, last: RefusedRange, 18: RefusedGiven, 19: RefusedGiven, 30: RefusedHasOther, 31: RefusedHasOther}
	if len(refused) != len(want) {
		t.Errorf("refused: %v", refused)
	}
	for id, why := range want {
		if refused[id] != why {
			t.Errorf("%d: %d, want %d", id, refused[id], why)
		}
	}
	for range 2 {
		got := give(t, c, node(10, Root), node(11, Root), node(0, Root), node(16, Root))
		if !slices.Equal(got, []CNID{5000, 20, 17, 5001}) {
			t.Errorf("ids are %d", got)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		c = open(t, dir, Options{})
	}
	if id := give(t, c, node(99, Root))[0]; id <= 5001 {
		t.Errorf("the next is %d", id)
	}
}
