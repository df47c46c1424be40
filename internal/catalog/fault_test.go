package catalog

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
	"github.com/dozo-server/dozo/vfs"
)

var silent = slog.New(slog.DiscardHandler)

// TestDiskThatRefuses gives no id that it could not write down, answers what is
// known, and goes on once the disk does.
func TestDiskThatRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule faultdisk.Rule
		room int64
		kind vfs.Kind
	}{
		{"full", faultdisk.Rule{}, 0, vfs.KindNoSpace},
		{"nearly full", faultdisk.Rule{}, 70, vfs.KindNoSpace},
		{"over quota", faultdisk.Rule{Op: disk.OpWrite, Errno: unix.EDQUOT}, -1, vfs.KindQuota},
		{"read-only", faultdisk.Rule{Op: disk.OpWrite, Errno: unix.EROFS}, -1, vfs.KindReadOnly},
		{"broken", faultdisk.Rule{Op: disk.OpWrite, Errno: unix.EIO}, -1, vfs.KindIO},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, faults := folder(t), faultdisk.New()
			c := open(t, dir, Options{faults: faults, Log: silent})
			known := give(t, c, nodes(0, 50, Root)...)
			refuse := func() {
				if tt.room >= 0 {
					faults.SetRoom(tt.room)
				} else {
					faults.Add(tt.rule)
				}
			}
			asked := func(c *Catalog) {
				t.Helper()
				mixed := nodes(48, 52, 9) // two are known, but elsewhere
				err := c.Give(t.Context(), mixed)
				if !vfs.IsKind(err, tt.kind) {
					t.Errorf("Give: %v", err)
				}
				if mixed[0].ID != known[48] || mixed[1].ID != known[49] || mixed[2].ID != 0 || mixed[3].ID != 0 {
					t.Errorf("Give gave %d %d %d %d", mixed[0].ID, mixed[1].ID, mixed[2].ID, mixed[3].ID)
				}
				if e, err := c.Entry(t.Context(), known[48]); e.Parent != Root || err != nil {
					t.Errorf("Entry = %+v, %v", e, err)
				}
				if err := c.Move(t.Context(), known[0], 9, "x"); !vfs.IsKind(err, tt.kind) {
					t.Errorf("Move: %v", err)
				}
			}
			refuse()
			asked(c)
			faults.Reset()
			more := give(t, c, nodes(50, 60, Root)...)
			if err := c.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}

			refuse() // from the start
			c = open(t, dir, Options{faults: faults, Log: silent})
			mixed := nodes(0, 60, Root)
			if err := c.Give(t.Context(), mixed); err != nil {
				t.Fatal(err)
			}
			all := append(known, more...)
			for i := range mixed {
				if mixed[i].ID != all[i] {
					t.Fatalf("%d became %d", all[i], mixed[i].ID)
				}
			}
			if err := c.Give(t.Context(), nodes(60, 61, Root)); !vfs.IsKind(err, tt.kind) {
				t.Errorf("Give: %v", err)
			}
			faults.Reset()
			if id := give(t, c, node(60, Root))[0]; slices.Contains(all, id) {
				t.Errorf("%d was given twice", id)
			}
		})
	}
}

// TestSyncsThatDoNotGoWell: one is made good by writing again; while all go wrong,
// what is promised is given, Sync says what is wrong, and it ends.
func TestSyncsThatDoNotGoWell(t *testing.T) {
	dir, faults := folder(t), faultdisk.New()
	c := open(t, dir, Options{faults: faults, Log: silent})
	known := give(t, c, nodes(0, 50, Root)...)
	faults.Add(faultdisk.Rule{Op: disk.OpSync, Errno: unix.EIO, Times: 1})
	if err := c.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	faults.Reset()
	faults.Add(faultdisk.Rule{Op: disk.OpSync, Errno: unix.EIO})
	known = append(known, give(t, c, nodes(50, 100, Root)...)...)
	for range 3 {
		if err := c.Sync(t.Context()); !vfs.IsKind(err, vfs.KindIO) {
			t.Fatalf("Sync: %v", err)
		}
	}
	many := nodes(100, 100+int(usualPace.block), Root)
	if err := c.Give(t.Context(), many); !vfs.IsKind(err, vfs.KindIO) || many[0].ID != 0 {
		t.Fatalf("beyond the promise: %d, %v", many[0].ID, err)
	}
	faults.Reset()
	if err := c.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	give(t, c, many...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir, Options{})
	if again := give(t, c, nodes(0, 100, Root)...); !slices.Equal(again, known) {
		t.Errorf("%v became %v", known, again)
	}
}

func TestOutOfIDs(t *testing.T) {
	dir := folder(t)
	c := open(t, dir, Options{})
	c.writing.Lock()
	c.next, c.promised, c.ceiling = last-1, last-1, last-1
	c.writing.Unlock()
	ids := give(t, c, nodes(0, 2, Root)...)
	if !slices.Equal(ids, []CNID{last - 1, last}) {
		t.Fatalf("gave %d", ids)
	}
	for range 2 {
		more := nodes(1, 3, Root)
		err := c.Give(t.Context(), more)
		if !vfs.IsKind(err, vfs.KindNoSpace) || !errors.Is(err, ErrOutOfIDs) || more[0].ID != last || more[1].ID != 0 {
			t.Errorf("Give = %d %d, %v", more[0].ID, more[1].ID, err)
		}
		if err := c.Move(t.Context(), last, 5, "moved"); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		c = open(t, dir, Options{})
	}
}

// TestDamage opens catalogs of which something was lost that had been safe.
func TestDamage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   Opened
	}{
		{"none", func(*testing.T, string) {}, Opened{}},
		{"no table", func(t *testing.T, dir string) { remove(t, dir, tableFile+"*") }, Opened{TableRebuilt: true, Changes: 3001}},
		{"a table that is none", func(t *testing.T, dir string) { scribble(t, dir, tableFile, 0) }, Opened{TableRebuilt: true, Changes: 3001}},
		{"no log", func(t *testing.T, dir string) { remove(t, dir, "*.log") }, Opened{LogRestored: true}},
		{"a log of nothing", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "00000001.log"), 0); err != nil {
				t.Fatal(err)
			}
		}, Opened{LogRestored: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t)
			c := open(t, dir, Options{})
			ids := give(t, c, nodes(0, 3000, Root)...)
			if err := c.Move(t.Context(), ids[7], 30, "moved"); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			tt.damage(t, dir)
			for range 2 {
				c = open(t, dir, Options{Log: silent})
				if found, err := c.Opened(t.Context()); found != tt.want || err != nil {
					t.Errorf("Opened = %+v, %v, want %+v", found, err, tt.want)
				}
				if e, err := c.Entry(t.Context(), ids[7]); e.Name != "moved" || err != nil {
					t.Errorf("Entry = %+v, %v", e, err)
				}
				list := nodes(0, 3010, Root)
				list[7].Linked = true
				for i, id := range give(t, c, list...) {
					if i < 3000 && id != ids[i] || i >= 3000 && id <= ids[2999] {
						t.Fatalf("the %dth is %d", i, id)
					}
				}
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				tt.want = Opened{} // it is whole again
			}
		})
	}
}

// TestDamagedPlaces steps over bytes of the log, and leaves no table that gives a
// known file a new id.
func TestDamagedPlaces(t *testing.T) {
	dir := folder(t)
	c := open(t, dir, Options{})
	var ids []CNID
	for n := range 100 {
		ids = append(ids, give(t, c, node(n, Root))...)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	remove(t, dir, tableFile+"*")
	scribble(t, dir, "00000001.log", 2000)
	c = open(t, dir, Options{})
	found, err := c.Opened(t.Context())
	if err != nil || found.Changes < 95 || found.Changes > 99 || found.Unreadable == 0 {
		t.Fatalf("Opened = %+v, %v", found, err)
	}
	lost := 0
	for i, id := range give(t, c, nodes(0, 100, Root)...) {
		if id != ids[i] {
			lost++
			if id < First+100 {
				t.Errorf("%d was given twice", id)
			}
		}
	}
	if lost != 100-found.Changes {
		t.Errorf("%d ids are lost of %d changes", lost, 100-found.Changes)
	}
}

func remove(t *testing.T, dir, pattern string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		os.Remove(name)
	}
}

// scribble writes over a part of a file.
func scribble(t *testing.T, dir, name string, at int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 100), at); err != nil {
		t.Fatal(err)
	}
}
