package vfstest

import (
	"slices"

	"github.com/dozo-server/dozo/vfs"
)

// testSymlinks looks at links as such.
func testSymlinks(t *tree) {
	t.needLinks()
	t.build("d/f", "d/l => ../d/f", "d/nowhere => x")
	l := t.openWith("d/l", vfs.OpenOptions{Access: vfs.ReadAttr, NoFollow: true})
	defer l.Close()
	a := t.attr(l)
	if a.Type != vfs.TypeSymlink || a.DOS&vfs.DOSReparse == 0 {
		t.Errorf("a symbolic link has %+v", a)
	}
	f := t.openWith("d/l", vfs.OpenOptions{Access: vfs.ReadData})
	defer f.Close()
	if got := t.content(f); got != "d/f" {
		t.Errorf("content through the link = %q", got)
	}
	if f.Key() == l.Key() {
		t.Error("the link and what it leads to have one key")
	}
	_, err := t.fs.Open(ctx, t.caller, "d/l", vfs.OpenOptions{Access: vfs.ReadData, NoFollow: true})
	t.want("open of a link itself for data", err, vfs.KindAccess)

	d := t.openWith("d", vfs.OpenOptions{Access: vfs.ListDir, NoFollow: true})
	defer d.Close()
	for _, e := range t.list(d, 10) {
		if isLink := e.Name != "f"; isLink != (e.Attr.Type == vfs.TypeSymlink) {
			t.Errorf("%s is listed with type %d", e.Name, e.Attr.Type)
		}
		if got := t.lookup(d, e.Name); got.Attr.ID != e.Attr.ID || got.Attr.Type != e.Attr.Type {
			t.Errorf("%s is listed as %+v and looked up as %+v", e.Name, e, got)
		}
	}

	l2 := t.openWith("d/l", vfs.OpenOptions{Access: vfs.Delete, NoFollow: true})
	defer l2.Close()
	t.rename(l2, "d/renamed", false)
	t.remove(l2)
	if got := t.names("d"); !slices.Equal(got, []string{"f", "nowhere"}) {
		t.Errorf("after the removal of the link: %q", got)
	}
}

// testFollowedLinks opens and lists links as what they lead to.
func testFollowedLinks(t *tree) {
	t.needLinks()
	t.build("real/f", "real/sub/g", "links/file => ../real/f", "links/folder => ../real/sub", "links/twice => file",
		"links/root => ..", "links/nowhere => x", "links/outside => ../../x", "links/circle => circle")
	dir := t.openDir("links")
	defer dir.Close()
	seen := map[string]vfs.Attr{}
	for _, e := range t.list(dir, 3) {
		seen[e.Name] = e.Attr
		got := t.lookup(dir, e.Name)
		got.Attr.Accessed = e.Attr.Accessed // following is reading
		if got != e {
			t.Errorf("%s is listed as %+v and looked up as %+v", e.Name, e, got)
		}
	}
	for link, target := range map[string]string{
		"file": "real/f", "twice": "real/f", "folder": "real/sub", "root": "",
	} {
		byName := t.openWith(target, vfs.OpenOptions{Access: vfs.ReadAttr})
		f := t.openWith("links/"+link, vfs.OpenOptions{Access: vfs.ReadAttr})
		if f.Key() != byName.Key() {
			t.Errorf("%s is not %q", link, target)
		}
		if got := f.Path(); got != "links/"+link {
			t.Errorf("the path of %s is %q", link, got)
		}
		if got, ok := f.Target(); !ok || got != target {
			t.Errorf("the target of %s is %q, %t; want %q", link, got, ok, target)
		}
		want := t.attr(byName)
		got, listed := t.attr(f), seen[link]
		// These may differ by what each of them was found in.
		got.Parent, listed.Parent, want.Parent = 0, 0, 0
		if got != want {
			t.Errorf("through %s:\n%+v, want\n%+v", link, got, want)
		}
		if listed != want {
			t.Errorf("%s is listed with\n%+v, want\n%+v", link, listed, want)
		}
		t.close(f)
		t.close(byName)
	}
	for _, link := range []string{"nowhere", "outside", "circle"} {
		f := t.openWith("links/"+link, vfs.OpenOptions{Maximum: true})
		a := t.attr(f)
		if a.Type != vfs.TypeFile || a.Size != 0 || a.DOS&(vfs.DOSReparse|vfs.DOSDirectory) != 0 || a.ID < 17 {
			t.Errorf("%s has %+v", link, a)
		}
		listed := seen[link]
		a.Parent, listed.Parent, a.Accessed = 0, 0, listed.Accessed
		if listed != a {
			t.Errorf("%s is listed with\n%+v, opened it has\n%+v", link, listed, a)
		}
		if got := f.Granted(); !got.Has(vfs.ReadAttr|vfs.Delete) || got&(vfs.ReadData|vfs.WriteData|vfs.AppendData|vfs.Execute) != 0 {
			t.Errorf("of %s are granted %#x", link, got)
		}
		if _, ok := f.Target(); ok {
			t.Errorf("%s leads somewhere", link)
		}
		t.set(f, vfs.SetAttr{Set: vfs.SetDOS | vfs.SetModified, DOS: vfs.DOSArchive, Modified: a.Modified})
		t.close(f)
	}

	// A folder is a folder, by whatever name.
	sub := t.openDir("links/folder")
	defer sub.Close()
	if got := t.list(sub, 10); len(got) != 1 || got[0].Name != "g" {
		t.Errorf("the linked folder lists %v", got)
	}
	t.build("links/folder/new")
	if !t.exists("real/sub/new") || t.lookup(sub, "new").Name != "new" {
		t.Error("what was made through the link is not there")
	}
	made := t.openWith("links/folder/new", vfs.OpenOptions{Access: vfs.ReadAttr})
	defer made.Close()
	if _, ok := made.Target(); ok || made.Path() != "real/sub/new" {
		t.Errorf("the path of a file behind a link is %q", made.Path())
	}
}

// testLinksAreNames removes and renames what was opened through links, with all
// rights: the links go and move, and what they lead to stays.
func testLinksAreNames(t *tree) {
	t.needLinks()
	t.build("real/f", "real/sub/g", "file => real/f", "folder => real/sub", "nowhere => x", "d/", "other")
	for _, link := range []string{"file", "folder", "nowhere"} {
		f := t.openWith(link, vfs.OpenOptions{Maximum: true})
		if !f.Granted().Has(vfs.Delete) {
			t.Errorf("of %s are granted %#x", link, f.Granted())
		}
		again := t.openWith(link, vfs.OpenOptions{Access: vfs.ReadAttr})
		target, _ := f.Target()
		t.rename(f, "d/moved", false)
		if got := again.Path(); got != "d/moved" {
			t.Errorf("the path of another open of %s is %q", link, got)
		}
		if got, _ := f.Target(); got != target {
			t.Errorf("the rename of %s moved its target from %q to %q", link, target, got)
		}
		_, err := t.fs.Rename(ctx, t.caller, f, "other", false)
		t.want("rename of a link to a name that is taken", err, vfs.KindExist)
		t.rename(f, "d/Moved", false) // a change of case
		if got := t.names("d"); !slices.Equal(got, []string{"Moved"}) {
			t.Errorf("after the change of case: %q", got)
		}
		t.remove(f)
		t.want("second remove", t.fs.Remove(ctx, t.caller, again), vfs.KindNotExist)
		t.close(again)
		t.close(f)
	}
	if got := t.names(""); !slices.Equal(got, []string{"d", "other", "real"}) {
		t.Errorf("in the end: %q", got)
	}
	if !t.exists("real/f") || !t.exists("real/sub/g") {
		t.Error("what the links lead to went with them")
	}

	// A link that another took the place of is not a name any more.
	t.build("l => real/f")
	l, f := t.openWith("l", vfs.OpenOptions{Access: vfs.Delete}), t.open("other")
	defer l.Close()
	defer f.Close()
	t.rename(f, "l", true)
	t.want("remove of a link that was replaced", t.fs.Remove(ctx, t.caller, l), vfs.KindNotExist)
	if !t.exists("l") || !t.exists("real/f") {
		t.Error("something else was removed")
	}

	// Links to one file are names of their own.
	t.build("one => real/f", "two => real/f")
	one := t.openWith("one", vfs.OpenOptions{Access: vfs.Delete | vfs.ReadData})
	real := t.openWith("real/f", vfs.OpenOptions{Access: vfs.Delete | vfs.ReadData})
	defer one.Close()
	defer real.Close()
	t.rename(real, "real/renamed", false)
	if target, _ := one.Target(); target != "real/renamed" || one.Path() != "one" {
		t.Errorf("the target was renamed: path %q, target %q", one.Path(), target)
	}
	t.remove(real)
	if got := t.content(one); got != "real/f" {
		t.Errorf("after the target was removed the link's open reads %q", got)
	}
	if !t.exists("one") || !t.exists("two") {
		t.Error("the links went with their target")
	}
	t.remove(one)
}

// testLinkRights: the folder of the link decides who may take it away, and the
// target who may read it.
func testLinkRights(t *tree) {
	t.needLinks()
	if t.lacks(Callers) {
		t.Skip("the process can't act for other accounts")
	}
	t.build("open/", "list/f", "closed/f", "private",
		"open/list => ../list/f", "open/closed => ../closed/f", "open/private => ../private", "list/open => ../open/o", "open/o")
	t.chmod("open", 0o777)
	t.chmod("closed", 0o700)
	t.chmod("private", 0o600)
	t.chmod("open/o", 0o666)
	other := *t
	other.caller = &vfs.Caller{User: "other", HasID: true, UID: 54321, GID: 54321}
	for _, c := range []struct {
		path   string
		access vfs.Access
		kind   kinds
	}{
		{"open/list", vfs.ReadData | vfs.Delete, success},
		{"open/private", vfs.ReadAttr | vfs.Delete, success},
		{"open/private", vfs.ReadData, kinds{vfs.KindAccess}},
		{"open/closed", vfs.ReadAttr | vfs.Delete, success},
		{"open/closed", vfs.ReadData, kinds{vfs.KindAccess}},
		{"list/open", vfs.ReadData | vfs.WriteData, success},
		{"list/open", vfs.Delete, kinds{vfs.KindAccess}},
	} {
		err := closed(t.fs.Open(ctx, other.caller, c.path, vfs.OpenOptions{Access: c.access}))
		if c.kind != nil {
			t.want("open "+c.path, err, c.kind...)
		} else if err != nil {
			t.Errorf("open %s for %#x: %v", c.path, c.access, err)
		}
	}
	// What others may not reach is not told of either.
	dir := other.openDir("open")
	defer dir.Close()
	for _, e := range other.list(dir, 10) {
		if e.Name == "closed" && (e.Attr.Size != 0 || e.Attr.Type != vfs.TypeFile) {
			t.Errorf("a link to where the caller may not go is listed with %+v", e.Attr)
		}
		if e.Name == "private" && e.Attr.Size != int64(len("private")) {
			t.Errorf("a link to what the caller may look at is listed with %+v", e.Attr)
		}
	}
	for _, link := range []string{"open/list", "open/private", "open/closed"} {
		f := other.openWith(link, vfs.OpenOptions{Maximum: true})
		other.remove(f)
		other.close(f)
	}
	if !t.exists("list/f") || !t.exists("private") || !t.exists("closed/f") {
		t.Error("what the links led to is gone")
	}
}

func (t *tree) needLinks() {
	t.Helper()
	if !t.canLink() {
		t.Skip("no symbolic links can be made")
	}
}

func (t *tree) lookup(dir vfs.File, name string) vfs.Entry {
	t.Helper()
	e, err := dir.Lookup(ctx, t.caller, name, false)
	if err != nil {
		t.Fatalf("look up %s: %v", name, err)
	}
	return e
}

func (t *tree) remove(f vfs.File) {
	t.Helper()
	if err := t.fs.Remove(ctx, t.caller, f); err != nil {
		t.Fatalf("remove %s: %v", f.Path(), err)
	}
}
