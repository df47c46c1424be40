package catalog

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/vfs"
)

// TestModel makes random calls on a catalog with SQLite, and on a map, with
// memory for everything, for some and for nothing, and with restarts.
func TestModel(t *testing.T) {
	for name, bytes := range map[string]int64{"plenty": 0, "some": 20000, "none": 1} {
		t.Run(name, func(t *testing.T) {
			rng := newRand(t)
			dir := folder(t)
			o := func() Options {
				return Options{Budget: budget.New(bytes), Log: silent,
					pace: pace{batch: 1 + rng.IntN(50), delay: time.Hour, waste: int64(rng.IntN(60000) - 50000), block: 50, most: 60 + rng.IntN(2000)}}
			}
			c := open(t, dir, o())
			state, ids := map[CNID]Entry{}, map[Identity]CNID{}
			ever := map[CNID]Identity{}
			for step := range 600 {
				act(t, c, rng, state, ids, ever)
				switch rng.IntN(60) {
				case 0:
					if err := c.Close(); err != nil {
						t.Fatal(err)
					}
					c = open(t, dir, o())
				case 1:
					if err := c.Sync(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if step%150 == 0 {
					all := map[CNID]Entry{}
					for e, err := range c.All(t.Context()) {
						if err != nil {
							t.Fatal(err)
						}
						all[e.ID] = e
					}
					if !maps.Equal(all, state) {
						t.Fatalf("%d entries, want %d", len(all), len(state))
					}
				}
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if v, err := Verify(t.Context(), dir); !v.OK() || v.Entries != len(state) || err != nil {
				t.Errorf("%+v, %v, want %d entries", v, err, len(state))
			}
		})
	}
}

// act makes a random call and looks whether its answer is right.
func act(t *testing.T, c *Catalog, rng *rand.Rand, state map[CNID]Entry, ids map[Identity]CNID, ever map[CNID]Identity) {
	t.Helper()
	known := slices.Sorted(maps.Keys(state))
	some := func() CNID { return known[rng.IntN(len(known))] }
	switch k := rng.IntN(10); {
	case k < 4 || len(known) < 2:
		parent := CNID(2 + rng.IntN(3))
		from := rng.IntN(2000)
		list := nodes(from, from+rng.IntN(80), parent)
		got := give(t, c, list...)
		for i, f := range list {
			id, ok := ids[f.Identity]
			if ok && id != got[i] {
				t.Fatalf("%d became %d", id, got[i])
			}
			if was, given := ever[got[i]]; !ok && given {
				t.Fatalf("%d was given to %x before", got[i], was)
			}
			f.ID = got[i]
			state[f.ID], ids[f.Identity], ever[f.ID] = f.Entry, f.ID, f.Identity
		}
	case k < 7:
		id := some()
		if e, err := c.Entry(t.Context(), id); e != state[id] || err != nil {
			t.Fatalf("Entry(%d) = %+v, %v, want %+v", id, e, err, state[id])
		}
		if e, err := c.Find(t.Context(), state[id].Identity); e != state[id] || err != nil {
			t.Fatalf("Find = %+v, %v, want %+v", e, err, state[id])
		}
		if _, err := c.Entry(t.Context(), id+100000); !vfs.IsKind(err, vfs.KindNotExist) {
			t.Fatalf("an id that was not given: %v", err)
		}
	case k < 8:
		id := some()
		if err := c.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		delete(ids, state[id].Identity)
		delete(state, id)
		if _, err := c.Entry(t.Context(), id); !vfs.IsKind(err, vfs.KindNotExist) {
			t.Fatalf("an id that has ended: %v", err)
		}
	case k < 9:
		e := state[some()]
		e.Parent, e.Name = 77, "moved"
		if err := c.Move(t.Context(), e.ID, e.Parent, e.Name); err != nil {
			t.Fatal(err)
		}
		state[e.ID] = e
	default:
		a, b := state[some()], state[some()]
		if err := c.Exchange(t.Context(), a.ID, b.ID); err != nil {
			t.Fatal(err)
		}
		if a.ID != b.ID {
			a.Identity, b.Identity = b.Identity, a.Identity
			for _, e := range []Entry{a, b} {
				state[e.ID], ids[e.Identity] = e, e.ID
			}
		}
	}
}

// TestTogether gives the same nodes in several goroutines, while memory comes and
// goes, and the table.
func TestTogether(t *testing.T) {
	dir := folder(t)
	memory := budget.New(30000)
	c := open(t, dir, Options{Budget: memory, Log: silent, pace: pace{batch: 20, block: 10, most: 300, waste: -1 << 20}})
	var all sync.WaitGroup
	const n = 1500
	var got [4][]CNID
	for g := range got {
		all.Go(func() {
			got[g] = make([]CNID, n)
			for from := 0; from < n; from += 10 {
				list := nodes(from, from+10, Root)
				if err := c.Give(t.Context(), list); err != nil {
					t.Error(err)
					return
				}
				for i := range list {
					got[g][from+i] = list[i].ID
				}
				if g == 0 && from%300 == 0 {
					memory.SetLimit(int64(1 + from*20))
					if err := c.Sync(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	seen := map[CNID]bool{}
	for i := range n {
		for g := range got {
			if got[g][i] != got[0][i] {
				t.Fatalf("%d and %d", got[g][i], got[0][i])
			}
		}
		if seen[got[0][i]] {
			t.Fatalf("%d was given twice", got[0][i])
		}
		seen[got[0][i]] = true
	}
}

// TestTableThatIsDamagedMeanwhile is made again; until then what needs it is an
// error and never a new id.
func TestTableThatIsDamagedMeanwhile(t *testing.T) {
	dir := folder(t)
	c := open(t, dir, Options{Budget: budget.New(1), Log: silent, pace: pace{batch: 1, block: 100}})
	ids := give(t, c, nodes(0, 1000, Root)...)
	if err := c.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir, Options{Budget: budget.New(1), Log: silent, pace: pace{batch: 1, block: 100}})
	db := c.table.(*sqliteTable)
	if _, err := db.db.Exec(`UPDATE entries SET name = 'wrong' WHERE id = ?`, uint32(ids[500])); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Entry(t.Context(), ids[500]); !vfs.IsKind(err, vfs.KindIO) {
		t.Errorf("a damaged entry: %v", err)
	}
	if err := c.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		list := nodes(0, 1000, Root)
		err := c.Give(t.Context(), list)
		if err != nil && !vfs.IsKind(err, vfs.KindIO) {
			t.Fatal(err)
		}
		for i := range list {
			if list[i].ID != ids[i] && (err == nil || list[i].ID != 0) {
				t.Fatalf("%d became %d, %v", ids[i], list[i].ID, err)
			}
		}
		if err == nil {
			break
		}
	}
	if e, err := c.Entry(t.Context(), ids[500]); e.Name != node(500, Root).Name || err != nil {
		t.Errorf("Entry = %+v, %v", e, err)
	}
}

// TestFarBehind opens a catalog whose table has lost more than memory may hold.
func TestFarBehind(t *testing.T) {
	dir := folder(t)
	c := open(t, dir, Options{})
	ids := give(t, c, nodes(0, 5000, Root)...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	remove(t, dir, tableFile+"*")
	c = open(t, dir, Options{pace: pace{batch: 100, block: 100, most: 700}})
	if again := give(t, c, nodes(0, 5000, Root)...); !slices.Equal(again, ids) {
		t.Error("ids have changed")
	}
	found, err := c.Opened(t.Context())
	if want := (Opened{TableRebuilt: true, Changes: 5000}); found != want || err != nil {
		t.Errorf("Opened = %+v, %v", found, err)
	}
}
