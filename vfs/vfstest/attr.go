package vfstest

import (
	"time"

	"github.com/dozo-server/dozo/vfs"
)

func testIdentity(t *tree) {
	t.build("d/f", "d/g", "e/")
	keys := map[vfs.Key]string{}
	ids := map[uint64]string{}
	for _, path := range []string{"", "d", "e", "d/f", "d/g"} {
		f := t.openFor(path, vfs.ReadAttr)
		defer f.Close()
		if f.Key() == (vfs.Key{}) {
			t.Errorf("%q has no key", path)
		}
		if other, ok := keys[f.Key()]; ok {
			t.Errorf("%q and %q have one key", path, other)
		}
		keys[f.Key()] = path
		a := t.attr(f)
		if a.ID < 17 {
			t.Errorf("%q has id %d", path, a.ID)
		}
		if other, ok := ids[a.ID]; ok {
			t.Errorf("%q and %q have one id", path, other)
		}
		ids[a.ID] = path

		g := t.openFor(path, vfs.ReadAttr)
		defer g.Close()
		if g.Key() != f.Key() || t.attr(g).ID != a.ID {
			t.Errorf("two opens of %q have two identities", path)
		}
	}

	d := t.openDir("d")
	defer d.Close()
	f := t.open("d/f")
	defer f.Close()
	id, key := t.attr(f).ID, f.Key()
	for _, e := range t.list(d, 10) {
		if path := ids[e.Attr.ID]; path != "d/"+e.Name {
			t.Errorf("%s is listed with the id of %q", e.Name, path)
		}
	}
	t.rename(f, "e/moved", false)
	g := t.open("e/moved")
	defer g.Close()
	if t.attr(f).ID != id || t.attr(g).ID != id || g.Key() != key {
		t.Error("a rename changed the identity")
	}
	e := t.openDir("e")
	defer e.Close()
	if got, want := t.attr(g).Parent, t.attr(e).ID; got != 0 && got != want {
		t.Errorf("Parent = %d, want %d or 0", got, want)
	}
}

func testAttr(t *tree) {
	before := time.Now().Add(-2 * time.Second) // coarse clocks and file systems
	t.build("f", "d/")
	after := time.Now().Add(2 * time.Second)
	for _, path := range []string{"f", "d"} {
		f := t.openFor(path, vfs.ReadAttr)
		a := t.attr(f)
		t.close(f)
		for name, when := range map[string]time.Time{
			"Birth": a.Birth, "Modified": a.Modified, "Changed": a.Changed, "Accessed": a.Accessed,
		} {
			if when.Before(before) || when.After(after) {
				t.Errorf("%s of %s = %v, now is %v", name, path, when, after)
			}
		}
		if a.Links == 0 || a.Device == 0 || a.Mode == 0 || a.Mode&^0o7777 != 0 {
			t.Errorf("attributes of %s: %+v", path, a)
		}
	}
	f := t.open("f")
	defer f.Close()
	a := t.attr(f)
	if a.Type != vfs.TypeFile || a.Size != 1 || a.DOS&vfs.DOSDirectory != 0 {
		t.Errorf("attributes of a file: %+v", a)
	}
	big := make([]byte, 100_000)
	for i := range big {
		big[i] = byte(i | 1)
	}
	t.write(f, string(big), 0)
	if err := f.Sync(ctx); err != nil { // or its room may not be given yet
		t.Fatal(err)
	}
	if a := t.attr(f); a.Allocated < a.Size/2 {
		t.Errorf("%d bytes take only %d", a.Size, a.Allocated)
	}
}

// testSetAttr sees that each attribute is set by itself and survives.
func testSetAttr(t *tree) {
	t.build("f", "d/")
	when := time.Date(2001, 2, 3, 4, 5, 6, 700, time.UTC)
	changes := []struct {
		name string
		set  vfs.SetAttr
		got  func(a vfs.Attr) bool
	}{
		{"hidden", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSHidden}, func(a vfs.Attr) bool {
			return a.DOS&vfs.DOSStored == vfs.DOSHidden
		}},
		{"all DOS attributes", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSStored}, func(a vfs.Attr) bool {
			return a.DOS&vfs.DOSStored == vfs.DOSStored
		}},
		{"no DOS attributes", vfs.SetAttr{Set: vfs.SetDOS, DOS: 0}, func(a vfs.Attr) bool {
			return a.DOS&vfs.DOSStored == 0
		}},
		{"mode", vfs.SetAttr{Set: vfs.SetMode, Mode: 0o750}, func(a vfs.Attr) bool { return a.Mode == 0o750 }},
		{"modified", vfs.SetAttr{Set: vfs.SetModified, Modified: when}, func(a vfs.Attr) bool {
			return a.Modified.Equal(t.grain(when))
		}},
		{"accessed", vfs.SetAttr{Set: vfs.SetAccessed, Accessed: when}, func(a vfs.Attr) bool {
			return a.Accessed.Equal(t.grain(when))
		}},
		{"birth", vfs.SetAttr{Set: vfs.SetBirth, Birth: when}, func(a vfs.Attr) bool {
			return a.Birth.Equal(t.grain(when))
		}},
	}
	for _, path := range []string{"f", "d"} {
		for _, c := range changes {
			if c.set.Set == vfs.SetBirth && t.lacks(Birth) {
				continue
			}
			f := t.openFor(path, vfs.ReadAttr|vfs.WriteAttr|vfs.WriteControl)
			before := t.attr(f)
			t.set(f, c.set)
			after := t.attr(f)
			if !c.got(after) {
				t.Errorf("%s of %s: got %+v", c.name, path, after)
			}
			g := t.openFor(path, vfs.ReadAttr)
			if again := t.attr(g); again != after {
				t.Errorf("%s of %s: another open sees %+v, want %+v", c.name, path, again, after)
			}
			t.close(g)
			t.close(f)

			// Nothing else changed.
			restored := after
			switch c.set.Set {
			case vfs.SetDOS:
				restored.DOS = before.DOS
			case vfs.SetMode:
				restored.Mode = before.Mode
			case vfs.SetModified:
				restored.Modified = before.Modified
			case vfs.SetAccessed:
				restored.Accessed = before.Accessed
			case vfs.SetBirth:
				restored.Birth = before.Birth
			}
			restored.Changed, restored.Allocated = before.Changed, before.Allocated
			if restored != before {
				t.Errorf("%s of %s changed more: %+v, was %+v", c.name, path, after, before)
			}
		}
	}
}

// grain returns when as the FS can hold it.
func (t *tree) grain(when time.Time) time.Time {
	return when.Truncate(time.Duration(max(1, t.fs.Features().TimeGrain)))
}

// testTimes sets times between 1601 and 2200 that differ by SMB's 100 ns.
func testTimes(t *tree) {
	f := t.create("f")
	defer f.Close()
	for _, when := range []time.Time{
		time.Date(2024, 2, 29, 23, 59, 59, 999_999_900, time.UTC),
		time.Date(2024, 2, 29, 23, 59, 59, 999_999_800, time.UTC),
		time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC),
		time.Date(1970, 1, 1, 0, 0, 0, 100, time.UTC),
		time.Date(1968, 4, 1, 12, 30, 0, 500_000_000, time.UTC),
		time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC),
		time.Date(2106, 2, 7, 6, 28, 16, 123_456_700, time.UTC),
	} {
		t.set(f, vfs.SetAttr{Set: vfs.SetModified | vfs.SetAccessed, Modified: when, Accessed: when})
		a := t.attr(f)
		if want := t.grain(when); !a.Modified.Equal(want) || !a.Accessed.Equal(want) {
			t.Errorf("set to %v, Modified = %v, Accessed = %v", want, a.Modified, a.Accessed)
		}
		if t.lacks(Birth) {
			continue
		}
		t.set(f, vfs.SetAttr{Set: vfs.SetBirth, Birth: when})
		if got, want := t.attr(f).Birth, t.grain(when); !got.Equal(want) {
			t.Errorf("Birth = %v, want %v", got, want)
		}
	}
}

// testTimesMove sees what changes which time.
func testTimesMove(t *tree) {
	t.build("d/f")
	f, d := t.open("d/f"), t.openFor("d", vfs.ListDir|vfs.ReadAttr|vfs.WriteAttr)
	defer f.Close()
	defer d.Close()
	old := t.grain(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
	reset := func() {
		for _, g := range []vfs.File{f, d} {
			t.set(g, vfs.SetAttr{Set: vfs.SetModified, Modified: old})
		}
	}
	moved := func(g vfs.File) bool { return !t.attr(g).Modified.Equal(old) }

	for _, c := range []struct {
		name         string
		do           func()
		file, folder bool
	}{
		{"write", func() { t.write(f, "x", 0) }, true, false},
		{"truncate", func() { f.Truncate(ctx, 10) }, true, false},
		{"truncate to the same size", func() { f.Truncate(ctx, 10) }, true, false},
		{"empty write", func() { t.write(f, "", 0) }, false, false},
		{"read", func() { t.content(f) }, false, false},
		{"list", func() { t.list(d, 10) }, false, false},
		{"create", func() { t.close(t.create("d/g")) }, false, true},
		{"rename", func() { t.rename(f, "d/h", false) }, false, true},
		{"mode", func() { t.set(f, vfs.SetAttr{Set: vfs.SetMode, Mode: 0o640}) }, false, false},
		{"DOS attributes", func() { t.set(f, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSHidden}) }, false, false},
	} {
		reset()
		c.do()
		if got := moved(f); got != c.file {
			t.Errorf("%s: time of the file changed: %v", c.name, got)
		}
		if got := moved(d); got != c.folder {
			t.Errorf("%s: time of the folder changed: %v", c.name, got)
		}
	}
}
