package catalog

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/crashdisk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
	"github.com/dozo-server/dozo/vfs"
)

// newRand returns a generator whose seed a failing test tells.
func newRand(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// quickFolder is a folder where a sync costs nothing, if there is such.
func quickFolder(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "dozo-catalog-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// crashes is a catalog with all that it ever answered.
type crashes struct {
	*testing.T
	rng   *rand.Rand
	disk  *crashdisk.Disk
	table *memTable
	c     *Catalog
	kept  []kept
	shown map[CNID][]Identity // of all lives before
	nodes int                 // identities that were met
}

// kept is what was true when a call had returned.
type kept struct {
	events int // by then
	synced bool
	state  map[CNID]Entry
}

// live begins a life in the folder dir.
func (x *crashes) live(dir string, from memState) {
	x.Helper()
	var err error
	faults := faultdisk.New()
	faults.Add(faultdisk.Rule{Op: disk.OpSync, After: 5, Every: 4 + x.rng.IntN(20), Errno: unix.EIO})
	if x.disk, err = crashdisk.New(dir, faults); err != nil {
		x.Fatal(err)
	}
	x.c, err = Open(x.Context(), dir, Options{
		faults: x.disk,
		pace:   pace{batch: 1 + x.rng.IntN(20), waste: int64(x.rng.IntN(8000) - 6000), block: CNID(4 + x.rng.IntN(60))},
		Log:    slog.New(slog.DiscardHandler),
		table: func(folder string) (table, error) {
			t, err := from.start(x.disk.Events)(folder)
			x.table = t.(*memTable)
			return t, err
		},
	})
	if err != nil {
		x.Fatal(err)
	}
	x.kept = nil
	x.keep(x.read(x.c), false)
}

func (x *crashes) keep(state map[CNID]Entry, synced bool) {
	x.kept = append(x.kept, kept{x.disk.Events(), synced, maps.Clone(state)})
}

// read returns all that a catalog knows, by asking for all that was ever shown.
func (x *crashes) read(c *Catalog) map[CNID]Entry {
	x.Helper()
	state := map[CNID]Entry{}
	for id := range x.shown {
		e, err := c.Entry(x.Context(), id)
		if err == nil {
			state[id] = e
		} else if !vfs.IsKind(err, vfs.KindNotExist) {
			x.Fatal(err)
		}
	}
	return state
}

func (x *crashes) show(e Entry) {
	if !slices.Contains(x.shown[e.ID], e.Identity) {
		x.shown[e.ID] = append(x.shown[e.ID], e.Identity)
	}
}

// act makes a random call.
func (x *crashes) act(state map[CNID]Entry) {
	x.Helper()
	ctx := x.Context()
	ids := slices.Sorted(maps.Keys(state))
	some := func() CNID { return ids[x.rng.IntN(len(ids))] }
	synced := false
	var err error
	switch k := x.rng.IntN(10); {
	case k < 5 || len(ids) < 2:
		var found []Found
		parent := CNID(2 + x.rng.IntN(3))
		for range 1 + x.rng.IntN(1+x.rng.IntN(40)) {
			n := x.nodes
			if x.rng.IntN(4) > 0 {
				x.nodes++
			} else {
				n = x.rng.IntN(x.nodes + 1)
			}
			found = append(found, node(n, parent))
		}
		err = x.c.Give(ctx, found)
		for _, f := range found {
			if err != nil {
				break // no sync, no promise of numbers, no ids
			}
			x.show(f.Entry)
			state[f.ID] = f.Entry
		}
	case k < 6:
		id := some()
		e := state[id]
		e.Parent, e.Name = CNID(2+x.rng.IntN(3)), fmt.Sprint("moved ", x.rng.IntN(100))
		state[id] = e
		err = x.c.Move(ctx, id, e.Parent, e.Name)
	case k < 7:
		id := some()
		delete(state, id)
		err = x.c.Remove(ctx, id)
	case k < 8:
		a, b := some(), some()
		e, f := state[a], state[b]
		e.Identity, f.Identity = f.Identity, e.Identity
		state[a], state[b] = e, f
		if a == b {
			state[a] = f
		}
		x.show(state[a])
		x.show(state[b])
		err = x.c.Exchange(ctx, a, b)
	default:
		synced = x.c.Sync(ctx) == nil
	}
	if err != nil && !vfs.IsKind(err, vfs.KindIO) {
		x.Fatal(err)
	}
	x.keep(state, synced)
}

// fates are the ways in which a power cut is looked at.
func (x *crashes) fates() []crashdisk.Fate {
	return []crashdisk.Fate{crashdisk.Lost, crashdisk.Kept, crashdisk.Torn(x.rng), crashdisk.Torn(x.rng), crashdisk.Mostly(x.rng, 8)}
}

// cut opens what a power cut after so many events leaves, and looks.
func (x *crashes) cut(events int, fate crashdisk.Fate, whole bool) (string, memState) {
	x.Helper()
	dir := quickFolder(x)
	if err := x.disk.Restore(dir, events, fate); err != nil {
		x.Fatal(err)
	}
	tables := x.table.after(events)
	from := tables[len(tables)-1]
	switch x.rng.IntN(3) {
	case 0:
		from = tables[x.rng.IntN(len(tables))]
	case 1:
		from = newMemTable(nil).states[0]
	}
	c, err := Open(x.Context(), dir, Options{table: from.start(func() int { return 0 })})
	if err != nil {
		x.Fatalf("after %d events: %v", events, err)
	}
	defer os.RemoveAll(dir)
	defer c.Close()
	x.check(c, events, whole)
	return dir, from
}

// check holds what a catalog knows after a cut against what was answered before.
func (x *crashes) check(c *Catalog, events int, whole bool) {
	x.Helper()
	before := 0 // the last call that had returned
	for before+1 < len(x.kept) && x.kept[before+1].events <= events {
		before++
	}
	// In this world only what was answered until then was shown, and the calls
	// under way at the time may have been made or not.
	shown := map[CNID][]Identity{}
	least := 0
	for i, k := range x.kept[:before+1] {
		for id, e := range k.state {
			shown[id] = append(shown[id], e.Identity)
		}
		if k.synced || whole {
			least = i
		}
	}
	until := min(before+2, len(x.kept))
	underWay := x.kept[until-1].state // it may have exchanged two
	state := x.read(c)
	for id := range x.kept[least].state {
		if !slices.ContainsFunc(x.kept[least:until], func(k kept) bool { return k.state[id] == state[id] }) {
			x.Fatalf("after %d events: %d is %+v, was %+v", events, id, state[id], x.kept[least].state[id])
		}
	}
	if whole && !maps.Equal(state, x.kept[before].state) && (until == before+1 || !maps.Equal(state, x.kept[until-1].state)) {
		x.Fatalf("after the end of the process: %d ids, were %d", len(state), len(x.kept[before].state))
	}

	// All identities and some new ones: no id is given to two.
	all := nodes(0, x.nodes+50, Root)
	if err := c.Give(x.Context(), all); err != nil {
		x.Fatal(err)
	}
	owner := map[CNID]Identity{}
	for _, f := range all {
		if other, ok := owner[f.ID]; ok && other != f.Identity {
			x.Fatalf("after %d events: %d was given twice", events, f.ID)
		}
		owner[f.ID] = f.Identity
		if was, ok := shown[f.ID]; ok && !slices.Contains(was, f.Identity) && underWay[f.ID].Identity != f.Identity {
			x.Fatalf("after %d events: %d was given to another before", events, f.ID)
		}
		if f.ID < First {
			x.Fatalf("the id %d was given", f.ID)
		}
	}
}

// TestPowerCuts lives random lives, and looks at what each moment of them would
// leave behind, had the power gone then. A life begins with what one of the cuts
// of the one before left.
func TestPowerCuts(t *testing.T) {
	lives, calls := 3, 40
	if os.Getenv("DOZO_FULL") != "" {
		lives, calls = 60, 150
	}
	x := &crashes{T: t, rng: newRand(t), shown: map[CNID][]Identity{}}
	dir, from := quickFolder(t), newMemTable(nil).states[0]
	for range lives {
		x.live(dir, from)
		state := maps.Clone(x.kept[0].state)
		for range calls {
			x.act(state)
		}
		if x.rng.IntN(2) == 0 {
			synced := x.c.Close() == nil
			x.keep(state, synced)
		}
		events := x.disk.Events()
		for cut := range events + 1 {
			for i, fate := range x.fates() {
				x.cut(cut, fate, i == 1)
			}
		}
		dir = quickFolder(t)
		cut := x.rng.IntN(events + 1)
		if err := x.disk.Restore(dir, cut, crashdisk.Torn(x.rng)); err != nil {
			t.Fatal(err)
		}
		tables := x.table.after(cut)
		from = tables[x.rng.IntN(len(tables))]
		x.c.Close()
		t.Logf("%d events", events)
	}
}
