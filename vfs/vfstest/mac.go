package vfstest

import (
	"strings"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// needsMac skips the test where nothing is kept for Macs.
func (t *tree) needsMac() {
	t.Helper()
	if !t.fs.Features().Mac {
		t.Skip("the FS keeps nothing for Macs")
	}
}

func (t *tree) mac(f vfs.File) vfs.Mac {
	t.Helper()
	m, err := f.(vfs.MacFile).Mac(ctx)
	if err != nil {
		t.Fatalf("mac of %s: %v", f.Path(), err)
	}
	return m
}

func (t *tree) setMac(f vfs.File, s vfs.SetMac) {
	t.Helper()
	if err := f.(vfs.MacFile).SetMac(ctx, t.caller, s); err != nil {
		t.Fatalf("set mac of %s: %v", f.Path(), err)
	}
}

// testMac sees that each part is set by itself and survives.
func testMac(t *tree) {
	t.needsMac()
	t.build("f", "d/")
	finder := [32]byte{}
	copy(finder[:], "TEXTttxt\x40")
	finder[31] = 0xff
	when := time.Date(2012, 3, 4, 5, 6, 7, 0, time.UTC)
	changes := []vfs.SetMac{
		{Set: vfs.SetFinder, Finder: finder},
		{Set: vfs.SetMacAttr, Attr: vfs.MacStored &^ vfs.MacDOS},
		{Set: vfs.SetBackup, Backup: when},
		{Set: vfs.SetBackup, Backup: time.Date(1984, 1, 24, 0, 0, 0, 0, time.UTC)},
		{Set: vfs.SetComment, Comment: "a comment"},
		{Set: vfs.SetComment, Comment: strings.Repeat("\xa5", vfs.MaxComment)},
		{Set: vfs.SetMacAttr, Attr: vfs.MacRenameInhibit},
		{Set: vfs.SetComment},
		{Set: vfs.SetFinder | vfs.SetMacAttr | vfs.SetBackup | vfs.SetComment, Finder: finder, Comment: "x"},
		{Set: vfs.SetFinder},
		{Set: vfs.SetComment},
	}
	for _, path := range []string{"f", "d"} {
		var want vfs.Mac
		f := t.openFor(path, vfs.ReadAttr|vfs.WriteAttr)
		if got := t.mac(f); got != want {
			t.Errorf("Macs know %+v of a new node", got)
		}
		before := t.attr(f)
		for i, c := range changes {
			t.setMac(f, c)
			want = want.With(c)
			g := t.openFor(path, vfs.ReadAttr)
			for _, h := range []vfs.File{f, g} {
				if got := t.mac(h); !sameMac(got, want) {
					t.Errorf("%s, change %d: %+v, want %+v", path, i, got, want)
				}
			}
			t.close(g)
		}
		t.wantStreams(f)
		after := t.attr(f)
		before.Changed, before.Allocated = after.Changed, after.Allocated
		if before != after {
			t.Errorf("attributes are %+v, were %+v", after, before)
		}
		err := f.(vfs.MacFile).SetMac(ctx, t.caller, vfs.SetMac{Set: vfs.SetComment, Comment: strings.Repeat("x", vfs.MaxComment+1)})
		t.want("a comment that is too long", err, vfs.KindInvalid)
		t.close(f)
		g := t.openFor(path, vfs.ReadData)
		err = g.(vfs.MacFile).SetMac(ctx, t.caller, changes[0])
		t.want("change without the right", err, vfs.KindNotGranted)
		_, err = streamer(g).OpenStream(ctx, t.caller, vfs.FinderInfo, rw)
		t.want("open of "+vfs.FinderInfo, err, vfs.KindInvalidName)
		t.close(g)
	}
}

// sameMac compares times as times.
func sameMac(a, b vfs.Mac) bool {
	same := a.Backup.Equal(b.Backup) && a.Created.Equal(b.Created)
	a.Backup, a.Created = b.Backup, b.Created
	return same && a == b
}

func testResourceFork(t *tree) {
	t.needsMac()
	t.build("a/f", "b/", "d/")
	f := t.open("a/f")
	defer f.Close()
	s := t.openStream(f, vfs.ResourceFork)
	if got := t.content(s); got != "" {
		t.Errorf("a new file has a resource fork of %q", got)
	}
	t.wantStreams(f)
	if got := t.mac(f); got != (vfs.Mac{}) {
		t.Errorf("Macs know %+v of a file without a fork", got)
	}
	if got := t.names("a"); len(got) != 1 {
		t.Errorf("beside a file without a fork stands %q", got)
	}
	second := t.createStream(f, vfs.ResourceFork)
	t.write(second, "resources", 0)
	if got := t.content(s); got != "resources" {
		t.Errorf("another open of the fork reads %q", got)
	}
	if s.Key() != second.Key() {
		t.Error("two opens of a fork have two keys")
	}
	t.close(second)
	t.wantStreams(f, vfs.ResourceFork)
	if got := t.mac(f).Resource; got != 9 {
		t.Errorf("the fork has %d bytes", got)
	}
	_, err := streamer(f).CreateStream(ctx, t.caller, vfs.ResourceFork, rw)
	t.want("create of a fork that holds something", err, vfs.KindExist)
	t.want("rename of a fork", s.Rename(ctx, t.caller, "other", false), vfs.KindInvalidName)
	o := t.createStream(f, "other")
	t.want("rename to the fork", o.Rename(ctx, t.caller, vfs.ResourceFork, true), vfs.KindInvalidName)
	if err := o.Remove(ctx, t.caller); err != nil {
		t.Error(err)
	}
	t.close(o)
	if got := t.names("a"); len(got) != 1 {
		t.Errorf("beside the file with a fork stands %q", got)
	}

	t.setMac(f, vfs.SetMac{Set: vfs.SetFinder, Finder: [32]byte{'T'}})
	for _, to := range []string{"a/g", "b/h", "b/H"} {
		t.rename(f, to, true)
		g := t.open(to)
		if got := t.getStream(g, vfs.ResourceFork); got != "resources" || t.mac(g).Finder[0] != 'T' {
			t.Errorf("%s has the fork %q and Finder info %v", to, got, t.mac(g).Finder)
		}
		t.close(g)
	}
	t.write(s, "!", 3) // opened under another name
	if got := t.getStream(f, vfs.ResourceFork); got != "res!urces" {
		t.Errorf("after renames the fork holds %q", got)
	}
	if err := s.Truncate(ctx, 0); err != nil {
		t.Fatal(err)
	}
	t.wantStreams(f)
	t.write(s, "again", 0)
	if err := s.Remove(ctx, t.caller); err != nil {
		t.Fatal(err)
	}
	t.wantStreams(f)
	t.close(s)

	// The fork of what is gone does not come back with the name.
	t.putStream(f, vfs.ResourceFork, "of the first")
	if err := t.fs.Remove(ctx, t.caller, f); err != nil {
		t.Fatal(err)
	}
	n := t.create("b/H")
	if got := t.mac(n); got != (vfs.Mac{}) {
		t.Errorf("a new file has %+v of the last one", got)
	}
	t.putStream(n, vfs.ResourceFork, "of the second")
	g := t.create("b/new")
	t.putStream(g, vfs.ResourceFork, "of the third")
	t.rename(g, "b/H", true)
	if got := t.getStream(g, vfs.ResourceFork); got != "of the third" {
		t.Errorf("what replaced a file has the fork %q", got)
	}
	h := t.create("b/none")
	t.rename(h, "b/H", true)
	if got := t.mac(h).Resource; got != 0 {
		t.Errorf("what replaced a file has its fork of %d bytes", got)
	}
	t.close(n)
	t.close(g)
	t.close(h)

	d := t.openFor("d", vfs.ReadAttr)
	defer d.Close()
	_, err = streamer(d).CreateStream(ctx, t.caller, vfs.ResourceFork, rw)
	t.want("a fork of a folder", err, vfs.KindUnsupported)
	_, err = streamer(d).OpenStream(ctx, t.caller, vfs.ResourceFork, rw)
	t.want("a fork of a folder", err, vfs.KindNoAttr)

	// A folder whose files are gone can go, too.
	for _, name := range t.names("b") {
		f := t.open("b/" + name)
		t.putStream(f, vfs.ResourceFork, "x")
		if err := t.fs.Remove(ctx, t.caller, f); err != nil {
			t.Fatal(err)
		}
		t.close(f)
	}
	b := t.openFor("b", vfs.Delete)
	defer b.Close()
	if err := t.fs.Remove(ctx, t.caller, b); err != nil {
		t.Errorf("a folder whose files had forks can't be removed: %v", err)
	}
}

// testForkLinks sees that a fork belongs to the node, whatever it is called.
func testForkLinks(t *tree) {
	t.needsMac()
	if !t.fs.Features().HardLinks {
		t.Skip("the FS has no hard links")
	}
	t.build("a/f", "b/")
	f := t.open("a/f")
	defer f.Close()
	t.putStream(f, vfs.ResourceFork, "fork")
	if err := t.fs.Link(ctx, t.caller, f, "b/g", false); err != nil {
		t.Fatal(err)
	}
	g := t.open("b/g")
	defer g.Close()
	if got := t.getStream(g, vfs.ResourceFork); got != "fork" {
		t.Errorf("by another name the fork holds %q", got)
	}
	s := t.openStream(g, vfs.ResourceFork)
	t.write(s, "more", 4)
	t.close(s)
	if got := t.getStream(f, vfs.ResourceFork); got != "forkmore" {
		t.Errorf("by the first name the fork holds %q", got)
	}
	if err := t.fs.Remove(ctx, t.caller, f); err != nil {
		t.Fatal(err)
	}
	if got := t.getStream(g, vfs.ResourceFork); got != "forkmore" {
		t.Errorf("without its first name the fork holds %q", got)
	}
}

func testListedMacs(t *tree) {
	t.needsMac()
	t.build("d/plain", "d/finder", "d/fork", "d/sub/", "d/gone")
	f := t.open("d/finder")
	t.setMac(f, vfs.SetMac{Set: vfs.SetFinder, Finder: [32]byte{'F'}})
	t.close(f)
	f = t.open("d/fork")
	t.putStream(f, vfs.ResourceFork, "12345")
	t.close(f)
	f = t.openFor("d/sub", vfs.WriteAttr)
	t.setMac(f, vfs.SetMac{Set: vfs.SetFinder, Finder: [32]byte{'D'}})
	t.close(f)
	d := t.openDir("d")
	defer d.Close()

	check := func(what string, want map[string]vfs.Mac) {
		t.Helper()
		entries := t.list(d, 100)
		f := t.open("d/gone")
		if err := t.fs.Remove(ctx, t.caller, f); err != nil {
			t.Fatal(err)
		}
		t.close(f)
		macs := make([]vfs.Mac, len(entries))
		macs[0].Resource = 77
		if err := d.(vfs.MacFile).ListedMacs(ctx, t.caller, entries, macs); err != nil {
			t.Fatal(err)
		}
		for i, e := range entries {
			if macs[i] != want[e.Name] {
				t.Errorf("%s: %s has %+v, want %+v", what, e.Name, macs[i], want[e.Name])
			}
		}
		t.build("d/gone")
	}
	want := map[string]vfs.Mac{
		"finder": {Finder: [32]byte{'F'}}, "fork": {Resource: 5}, "sub": {Finder: [32]byte{'D'}},
	}
	check("first", want)
	check("again", want)
	f = t.open("d/plain")
	t.setMac(f, vfs.SetMac{Set: vfs.SetComment, Comment: "late"})
	t.putStream(f, vfs.ResourceFork, "abc")
	t.close(f)
	f = t.open("d/fork")
	s := t.openStream(f, vfs.ResourceFork)
	t.write(s, "67", 5)
	t.close(s)
	t.close(f)
	want["plain"] = vfs.Mac{Comment: "late", Resource: 3}
	want["fork"] = vfs.Mac{Resource: 7}
	check("after changes", want)
	e, err := d.Lookup(ctx, t.caller, "finder", false)
	if err != nil {
		t.Fatal(err)
	}
	macs := make([]vfs.Mac, 1)
	if err := d.(vfs.MacFile).ListedMacs(ctx, t.caller, []vfs.Entry{e}, macs); err != nil || macs[0].Finder[0] != 'F' {
		t.Errorf("what Lookup gave has %+v, %v", macs[0], err)
	}
	f = t.open("d/plain")
	defer f.Close()
	err = f.(vfs.MacFile).ListedMacs(ctx, t.caller, nil, nil)
	t.want("list in a file", err, vfs.KindNotDir)
}
