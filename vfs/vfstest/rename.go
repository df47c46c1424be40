package vfstest

import (
	"slices"

	"github.com/dozo-server/dozo/vfs"
)

func (t *tree) rename(f vfs.File, to string, replace bool) {
	t.Helper()
	stored, err := t.fs.Rename(ctx, t.caller, f, to, replace)
	if err != nil {
		t.Fatalf("rename to %s: %v", to, err)
	}
	if got := f.Path(); got != stored {
		t.Errorf("Rename said %q, Path says %q", stored, got)
	}
}

func testRename(t *tree) {
	t.build("a/f", "b/")
	f, second := t.open("a/f"), t.open("a/f")
	defer f.Close()
	defer second.Close()

	t.rename(f, "b/New Name", false)
	if got := f.Path(); got != "b/New Name" {
		t.Errorf("Path = %q", got)
	}
	if got := second.Path(); got != "b/New Name" {
		t.Errorf("Path of another open = %q", got)
	}
	if t.exists("a/f") || !t.exists("b/New Name") {
		t.Errorf("a holds %q, b holds %q", t.names("a"), t.names("b"))
	}

	// Renaming to where it is changes nothing.
	t.rename(f, "b/New Name", false)
	t.rename(second, "b/New Name", true)

	t.rename(second, "c", false)
	if got := f.Path(); got != "c" {
		t.Errorf("Path = %q, want c", got)
	}
	if got := t.content(f); got != "a/f" {
		t.Errorf("content = %q", got)
	}

	root := t.openDir("")
	defer root.Close()
	_, err := t.fs.Rename(ctx, t.caller, root, "d", false)
	t.want("rename of the root", err, anyError...)
}

func testRenameCase(t *tree) {
	if t.fs.Features().CaseSensitive {
		t.Skip("the FS is case-sensitive")
	}
	t.build("Dir/File")
	f := t.open("dir/file")
	defer f.Close()
	for _, replace := range []bool{false, true} {
		for _, to := range []string{"FILE", "file", "File"} {
			t.rename(f, "DIR/"+to, replace)
			if got := t.names("Dir"); !slices.Equal(got, []string{to}) {
				t.Fatalf("after the rename to %s the folder holds %q", to, got)
			}
			if got := f.Path(); got != "Dir/"+to {
				t.Errorf("Path = %q, want Dir/%s", got, to)
			}
		}
	}
	d := t.openFor("Dir", vfs.Delete)
	defer d.Close()
	t.rename(d, "dIR", false)
	if got := f.Path(); got != "dIR/File" {
		t.Errorf("Path = %q", got)
	}
	if got := t.content(f); got != "Dir/File" {
		t.Errorf("content = %q", got)
	}
}

func (t *tree) openFor(path string, a vfs.Access) vfs.File {
	t.Helper()
	f, err := t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{Access: a})
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return f
}

func testRenameReplace(t *tree) {
	t.build("old", "new", "d/")
	replaced, f := t.open("old"), t.open("new")
	defer replaced.Close()
	defer f.Close()

	_, err := t.fs.Rename(ctx, t.caller, f, "old", false)
	t.want("rename without replacing", err, vfs.KindExist)
	t.rename(f, "old", true)
	if got := t.names(""); !slices.Equal(got, []string{"d", "old"}) {
		t.Errorf("names = %q", got)
	}
	g := t.open("old")
	defer g.Close()
	if g.Key() != f.Key() {
		t.Error("old is not what was renamed to it")
	}
	// What was replaced lives on for those who have it open.
	if got := t.content(replaced); got != "old" {
		t.Errorf("the replaced file holds %q", got)
	}
	if got := t.attr(replaced).Links; got != 0 {
		t.Errorf("the replaced file has %d names", got)
	}

	// A folder does not replace anything that is no folder either.
	d := t.openFor("d", vfs.Delete)
	defer d.Close()
	_, err = t.fs.Rename(ctx, t.caller, d, "old", false)
	t.want("rename of a folder to a file's name", err, vfs.KindExist)
}

func testRenameFolder(t *tree) {
	t.build("a/b/c/f", "x/")
	f := t.open("a/b/c/f")
	defer f.Close()
	d := t.openFor("a/b", vfs.Delete)
	defer d.Close()

	for _, to := range []string{"a/b/in", "a/b/c/in"} {
		_, err := t.fs.Rename(ctx, t.caller, d, to, false)
		t.want("rename of a folder into itself", err, vfs.KindInvalid)
	}
	t.rename(d, "x/moved", false)
	if got := f.Path(); got != "x/moved/c/f" {
		t.Errorf("the path of a file below = %q", got)
	}
	if t.exists("a/b") || !t.exists("x/moved/c/f") {
		t.Errorf("a holds %q, x holds %q", t.names("a"), t.names("x"))
	}
	t.build("x/moved/c/g")
	if got := t.names("x/moved/c"); !slices.Equal(got, []string{"f", "g"}) {
		t.Errorf("names below the moved folder = %q", got)
	}
}

func testLink(t *tree) {
	if !t.fs.Features().HardLinks {
		t.build("f")
		f := t.open("f")
		defer f.Close()
		t.want("link", t.fs.Link(ctx, t.caller, f, "g", false), vfs.KindUnsupported)
		return
	}
	t.build("f", "d/", "other")
	f := t.open("f")
	defer f.Close()
	if err := t.fs.Link(ctx, t.caller, f, "d/g", false); err != nil {
		t.Fatal(err)
	}
	g := t.open("d/g")
	defer g.Close()
	if g.Key() != f.Key() || t.attr(g).ID != t.attr(f).ID {
		t.Error("two names of one file have two identities")
	}
	if got := t.attr(f).Links; got != 2 {
		t.Errorf("Links = %d", got)
	}
	if f.Path() != "f" || g.Path() != "d/g" {
		t.Errorf("paths = %q and %q", f.Path(), g.Path())
	}
	t.want("link to a name that is taken", t.fs.Link(ctx, t.caller, f, "other", false), vfs.KindExist)
	if err := t.fs.Link(ctx, t.caller, f, "other", true); err != nil {
		t.Errorf("link that replaces: %v", err)
	}
	if err := t.fs.Remove(ctx, t.caller, f); err != nil {
		t.Fatal(err)
	}
	if t.exists("f") || !t.exists("d/g") || !t.exists("other") {
		t.Errorf("removing one name left %q and %q", t.names(""), t.names("d"))
	}
	if got := t.content(g); got != "f" {
		t.Errorf("content by the other name = %q", got)
	}
	d := t.openFor("d", vfs.Delete)
	defer d.Close()
	t.want("link of a folder", t.fs.Link(ctx, t.caller, d, "e", false), anyError...)
}

func testRemove(t *tree) {
	t.build("d/f")
	f := t.open("d/f")
	d := t.openFor("d", vfs.Delete|vfs.ListDir)
	t.want("remove of a folder that holds something", t.fs.Remove(ctx, t.caller, d), vfs.KindNotEmpty)
	if err := t.fs.Remove(ctx, t.caller, f); err != nil {
		t.Fatal(err)
	}
	if t.exists("d/f") {
		t.Error("the name is still there")
	}
	// The file stays usable until it is closed.
	t.write(f, "D", 0)
	if got := t.content(f); got != "D/f" {
		t.Errorf("content after the removal = %q", got)
	}
	if got := t.attr(f).Links; got != 0 {
		t.Errorf("Links = %d", got)
	}
	t.want("second remove", t.fs.Remove(ctx, t.caller, f), vfs.KindNotExist)
	_, err := t.fs.Rename(ctx, t.caller, f, "back", false)
	t.want("rename after the removal", err, vfs.KindNotExist)
	t.close(f)

	if err := t.fs.Remove(ctx, t.caller, d); err != nil {
		t.Fatal(err)
	}
	if got := t.list(d, 10); len(got) != 0 {
		t.Errorf("a removed folder lists %v", got)
	}
	t.close(d)
	if t.exists("d") {
		t.Error("the folder is still there")
	}
	t.build("d/f") // and its name is free again

	root := t.openDir("")
	defer root.Close()
	t.want("remove of the root", t.fs.Remove(ctx, t.caller, root), anyError...)
}

func testRemoveStaleName(t *tree) {
	t.build("f", "d/")
	old := t.open("f")
	defer old.Close()
	if err := t.fs.Remove(ctx, t.caller, old); err != nil {
		t.Fatal(err)
	}
	t.build("f")
	t.want("remove of a name that is another's by now", t.fs.Remove(ctx, t.caller, old), vfs.KindNotExist)
	if !t.exists("f") {
		t.Error("another node was removed")
	}

	// The same when it was replaced by a rename.
	f, g := t.open("f"), t.create("g")
	defer f.Close()
	defer g.Close()
	t.rename(g, "f", true)
	t.want("remove of a replaced name", t.fs.Remove(ctx, t.caller, f), vfs.KindNotExist)
	if !t.exists("f") {
		t.Error("what replaced it was removed")
	}

	// After a rename by another open, the name now is what goes.
	second := t.open("f")
	defer second.Close()
	t.rename(second, "d/moved", false)
	t.build("f")
	if err := t.fs.Remove(ctx, t.caller, g); err != nil {
		t.Fatal(err)
	}
	if t.exists("d/moved") || !t.exists("f") {
		t.Errorf("the removal left %q and %q", t.names(""), t.names("d"))
	}
}
