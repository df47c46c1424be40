package catalog

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// small makes a catalog with a folder, three files in it, and one that is gone.
func small(t *testing.T, c *Catalog) []CNID {
	t.Helper()
	folder := node(0, Root)
	folder.Name, folder.Type = "Photos", vfs.TypeDir
	ids := give(t, c, folder)
	ids = append(ids, give(t, c, nodes(1, 5, ids[0])...)...)
	if err := c.Remove(t.Context(), ids[4]); err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestExport(t *testing.T) {
	c := open(t, folder(t), Options{})
	ids := small(t, c)
	if err := c.Move(t.Context(), ids[2], Root, "\xff<&>"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Export(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"id":17,"parent":2,"type":"folder","name":"Photos","identity":"00000000000000000000000000000000"}
{"id":18,"parent":17,"type":"file","name":"file-000001.jpg","identity":"9e3779b97f4a7c150000000000000001"}
{"id":19,"parent":2,"type":"file","name_hex":"ff3c263e","identity":"3c6ef372fe94f82a0000000000000002"}
{"id":20,"parent":17,"type":"file","name":"file-000003.jpg","identity":"daa66d2c7ddf743f0000000000000003"}
`
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}

// TestAllOfMany lists more entries than are read at once.
func TestAllOfMany(t *testing.T) {
	c := open(t, folder(t), Options{pace: pace{batch: 1, block: 4096}})
	ids := give(t, c, nodes(0, 9000, Root)...)
	if err := c.Remove(t.Context(), ids[4096]); err != nil {
		t.Fatal(err)
	}
	var got []CNID
	for e, err := range c.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.ID)
	}
	if want := slices.Delete(ids, 4096, 4097); !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
}

func walkOf(found ...Found) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, f := range found {
			if !yield(f.Entry, nil) {
				return
			}
		}
	}
}

func TestCheck(t *testing.T) {
	c := open(t, folder(t), Options{})
	ids := small(t, c)
	on := nodes(0, 4, ids[0])
	on[0].Parent, on[0].Name, on[0].Type = Root, "Photos", vfs.TypeDir
	other := on[1] // a further name of it
	other.Name = "elsewhere"
	moved := on[2]
	moved.Name = "moved"
	got := map[FindingKind][]CNID{}
	err := c.Check(t.Context(), walkOf(other, on[0], on[1], other, moved, node(77, Root)), func(f Finding) {
		got[f.Kind] = append(got[f.Kind], f.Entry.ID)
		if f.Kind == Moved && (f.Disk.Name != "moved" || f.Entry.Name != on[2].Name) {
			t.Errorf("%+v", f)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || !slices.Equal(got[Unknown], []CNID{0}) || !slices.Equal(got[Moved], ids[2:3]) || !slices.Equal(got[Missing], ids[3:4]) {
		t.Errorf("found %v of %v", got, ids)
	}
}

// TestRebuild makes each part from the other, and verifies both.
func TestRebuild(t *testing.T) {
	dir := folder(t)
	c := open(t, dir, Options{})
	ids := give(t, c, nodes(0, 3000, Root)...)
	for i := range 1000 {
		if err := c.Move(t.Context(), ids[i], 99, "moved"); err != nil {
			t.Fatal(err)
		}
		if err := c.Remove(t.Context(), ids[1000+i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	verified := func(want Verified) {
		t.Helper()
		if v, err := Verify(t.Context(), dir); v != want || err != nil {
			t.Errorf("Verify = %+v, %v, want %+v", v, err, want)
		}
	}
	verified(Verified{Files: 1, Records: 5000, Entries: 2000})
	before := logSize(t, dir)
	if _, err := Rebuild(t.Context(), dir, Log, Options{}); err != nil {
		t.Fatal(err)
	}
	verified(Verified{Files: 2, Records: 2000, Entries: 2000})
	if after := logSize(t, dir); after >= before {
		t.Errorf("the log has %d bytes, had %d", after, before)
	}
	if found, err := Rebuild(t.Context(), dir, Table, Options{}); !found.TableRebuilt || found.Changes != 2000 || err != nil {
		t.Errorf("Rebuild = %+v, %v", found, err)
	}
	verified(Verified{Files: 2, Records: 2000, Entries: 2000})
	scribble(t, dir, "00000001.snapshot", 1000)
	if v, err := Verify(t.Context(), dir); v.OK() || v.Unreadable == 0 || err != nil {
		t.Errorf("damaged: %+v, %v", v, err)
	}
	if _, err := Rebuild(t.Context(), dir, Log, Options{}); err != nil {
		t.Fatal(err)
	}
	verified(Verified{Files: 2, Records: 2000, Entries: 2000})
	c = open(t, dir, Options{})
	for i, id := range ids {
		e, err := c.Entry(t.Context(), id)
		switch {
		case i < 1000 && e.Name != "moved", i >= 2000 && e.Name != node(i, 0).Name, (i >= 1000 && i < 2000) != vfs.IsKind(err, vfs.KindNotExist):
			t.Fatalf("%d is %+v, %v", id, e, err)
		}
	}
}

// logSize returns the size of the log in dir.
func logSize(t *testing.T, dir string) (total int64) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range names {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && !strings.HasPrefix(e.Name(), tableFile) {
			total += info.Size()
		}
	}
	return total
}
