package share

import (
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

func TestRename(tt *testing.T) {
	const success = vfs.Kind(255)
	const listing = vfs.ListDir | vfs.ReadAttr
	tests := []struct {
		name    string
		others  []OpenRequest // open meanwhile
		from    string
		to      string
		replace bool
		want    vfs.Kind
	}{
		{name: "to a new name", from: "f", to: "x", want: success},
		{name: "into a folder", from: "f", to: "d/x", want: success},
		{name: "to another spelling", from: "f", to: "F", want: success},
		{name: "to itself", from: "f", to: "f", replace: true, want: success},
		{name: "to a name that is taken", from: "f", to: "G", want: vfs.KindExist},
		{name: "over a file", from: "f", to: "G", replace: true, want: success},
		{name: "over a folder", from: "f", to: "d", replace: true, want: vfs.KindAccess},
		{name: "over a read-only file", from: "f", to: "locked", replace: true, want: vfs.KindAccess},
		{name: "into a missing folder", from: "f", to: "x/y", want: vfs.KindPathNotExist},
		{name: "to the root", from: "f", to: "", replace: true, want: vfs.KindAccess},
		{name: "of the root", from: "", to: "x", want: vfs.KindAccess},
		{name: "over an open file", from: "f", to: "g", replace: true, want: vfs.KindAccess,
			others: []OpenRequest{{Path: "g", Access: vfs.ReadAttr, Share: shareAll, Disposition: OpenExisting}}},
		{name: "of a file others have open", from: "f", to: "x", want: success,
			others: []OpenRequest{{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting}}},
		{name: "of a folder", from: "d", to: "x", want: success},
		{name: "of a folder into itself", from: "d", to: "d/e/x", want: vfs.KindInvalid},
		{name: "of a folder with an open file", from: "d", to: "x", want: vfs.KindAccess,
			others: []OpenRequest{{Path: "d/f", Access: read, Share: shareAll, Disposition: OpenExisting}}},
		{name: "of a folder with an open file far below", from: "d", to: "x", want: vfs.KindAccess,
			others: []OpenRequest{{Path: "d/e/f", Access: vfs.ReadAttr, Share: shareAll, Disposition: OpenExisting}}},
		{name: "of a folder with an open folder below", from: "d", to: "x", want: vfs.KindAccess,
			others: []OpenRequest{{Path: "d/e", Access: listing, Share: shareAll, Disposition: OpenExisting}}},
		{name: "of a folder beside open files", from: "d", to: "x", want: success,
			others: []OpenRequest{
				{Path: "g", Access: read, Share: shareAll, Disposition: OpenExisting},
				{Path: "dd", Access: read, Share: shareAll, Disposition: OpenExisting},
				{Path: "d", Access: listing, Share: shareAll, Disposition: OpenExisting},
			}},
		{name: "in a folder that is listed", from: "f", to: "x", want: success,
			others: []OpenRequest{{Path: "", Access: listing, Share: shareAll, Disposition: OpenExisting}}},
		{name: "in a folder that does not share writing", from: "f", to: "x", want: vfs.KindSharing,
			others: []OpenRequest{{Path: "", Access: listing, Share: ShareRead, Disposition: OpenExisting}}},
		{name: "in a folder that is open for deleting", from: "f", to: "d/x", want: vfs.KindSharing,
			others: []OpenRequest{{Path: "d", Access: vfs.Delete, Share: shareAll, Disposition: OpenExisting}}},
		{name: "in a folder that is looked at and shares nothing", from: "f", to: "d/x", want: success,
			others: []OpenRequest{{Path: "d", Access: vfs.ReadAttr, Disposition: OpenExisting}}},
	}
	for _, c := range tests {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.folder("d")
			t.folder("d/e")
			for _, path := range []string{"f", "g", "dd", "locked", "d/f", "d/e/f"} {
				t.file(path)
			}
			t.set("locked", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
			var others []*Open
			for _, r := range c.others {
				others = append(others, t.do(r))
			}
			var o *Open
			if c.from == "" {
				o = t.do(OpenRequest{Maximum: true, Share: shareAll, Disposition: OpenExisting})
				o.granted |= vfs.Delete // whatever the FS says
			} else {
				o = t.open(c.from, vfs.Delete)
			}
			replacing := c.replace && c.to == "G"
			err := o.Rename(ctx, c.to, replaceIf(c.replace))
			if c.want != success {
				t.want("rename", err, c.want)
				if o.Path() != c.from {
					t.Errorf("path = %q after a refused rename", o.Path())
				}
				if c.to == "x" && t.exists("x") {
					t.Error("the new name is there")
				}
			} else {
				t.ok("rename", err)
				if o.Path() != c.to {
					t.Errorf("path = %q, want %q", o.Path(), c.to)
				}
				if replacing && t.content("G") != "f" {
					t.Errorf("the target holds %q", t.content("G"))
				}
			}
			t.close(o)
			t.close(others...)
			if t.content("dd") != "dd" || t.content("locked") != "locked" {
				t.Error("another file changed")
			}
			t.empty()
		})
	}
}

func TestRenameNeedsTheRight(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	o := t.open("f", read|write)
	t.want("rename", o.Rename(ctx, "x", 0), vfs.KindNotGranted)
	t.close(o)
	// Nor can the right be had beside an open that does not share deleting.
	o = t.do(OpenRequest{Path: "f", Access: read, Share: ShareRead | ShareWrite, Disposition: OpenExisting})
	t.refused(OpenRequest{Path: "f", Access: vfs.Delete, Share: shareAll, Disposition: OpenExisting}, vfs.KindSharing)
	t.close(o)
}

func TestRenameOfWhatGoes(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	o := t.open("f", deleter)
	t.ok("delete", o.SetDelete(ctx, true, 0))
	t.want("rename", o.Rename(ctx, "x", 0), vfs.KindDeletePending)
	t.want("link", o.Link(ctx, "x", 0), vfs.KindDeletePending)
	t.close(o)
	t.empty()
}

// After a rename the name now is what goes.
func TestDeleteAfterRename(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a, b := t.open("f", deleter), t.open("f", deleter)
	t.ok("delete", b.SetDelete(ctx, true, 0))
	t.ok("no delete", b.SetDelete(ctx, false, 0))
	t.ok("rename", a.Rename(ctx, "x", 0))
	t.ok("delete", b.SetDelete(ctx, true, 0))
	t.close(a)
	t.file("f") // a new one
	t.close(b)
	if t.exists("x") || !t.exists("f") {
		t.Error("the wrong file went")
	}
	t.empty()
}

func TestLink(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.file("g")
	t.file("h")
	t.folder("d")
	o := t.open("f", read)
	t.ok("link", o.Link(ctx, "d/f", 0))
	t.want("link to a name that is taken", o.Link(ctx, "g", 0), vfs.KindExist)
	t.ok("link that replaces", o.Link(ctx, "g", Replace))
	h := t.open("h", read)
	t.want("link over an open file", o.Link(ctx, "h", Replace), vfs.KindAccess)
	t.want("link over a folder", o.Link(ctx, "d", Replace), vfs.KindAccess)
	t.close(h)
	// All names lead to one row.
	other := t.do(OpenRequest{Path: "g", Access: write, Share: shareAll, Disposition: OpenExisting})
	if other.Key() != o.Key() || other.row != o.row {
		t.Error("two rows for one file")
	}
	t.refused(OpenRequest{Path: "d/f", Access: read, Share: ShareRead, Disposition: OpenExisting}, vfs.KindSharing)
	t.close(o, other)
	d := t.open("d", vfs.ListDir)
	t.want("link of a folder", d.Link(ctx, "e", 0), vfs.KindIsDir)
	t.close(d)
	t.empty()
}

// A POSIX rename takes the name of a file that others have open, who keep it.
func TestRenameOverOpenFile(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.file("g")
	f := t.open("f", vfs.Delete)
	keeper := t.do(OpenRequest{Path: "g", Access: read, Share: ShareRead | ShareWrite, Disposition: OpenExisting})
	t.want("over what is not shared for deleting", f.Rename(ctx, "g", Replace|ReplaceOpen), vfs.KindSharing)
	t.close(keeper)

	doomed := t.open("g", vfs.Delete|read)
	t.ok("delete", doomed.SetDelete(ctx, true, 0))
	looker := t.do(OpenRequest{Path: "f", Access: vfs.ReadAttr, Disposition: OpenExisting})
	t.want("over an open file", f.Rename(ctx, "g", Replace), vfs.KindAccess)
	t.want("without replacing", f.Rename(ctx, "g", ReplaceOpen), vfs.KindExist)
	t.ok("posix", f.Rename(ctx, "G", Replace|ReplaceOpen))
	if doomed.DeletePending() {
		t.Error("what lost its name is still to be deleted")
	}
	b := make([]byte, 10)
	if n, _ := doomed.ReadAt(ctx, b, 0); string(b[:n]) != "g" {
		t.Errorf("the replaced file reads %q", b[:n])
	}
	t.close(f)
	g := t.open("g", read|vfs.Delete)
	if n, _ := g.ReadAt(ctx, b, 0); string(b[:n]) != "f" {
		t.Errorf("g reads %q", b[:n])
	}
	// Its old name is no business of the replaced file any more.
	t.close(doomed, g, looker)
	if !t.exists("g") || t.exists("f") {
		t.Error("the new file is not there")
	}
	t.empty()
}

// Of a file with two names only the one that was replaced is lost.
func TestRenameOverOneOfTwoNames(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.file("one")
	one := t.open("one", read|vfs.Delete)
	t.ok("link", one.Link(ctx, "two", 0))
	two := t.open("two", read|vfs.Delete)
	f := t.open("f", vfs.Delete)
	t.ok("posix", f.Rename(ctx, "one", Replace|ReplaceOpen))
	t.ok("delete", two.SetDelete(ctx, true, 0))
	if !two.DeletePending() || one.DeletePending() {
		t.Error("the wrong name is to go")
	}
	t.close(two, one, f)
	if !t.exists("one") || t.exists("two") {
		t.Error("the wrong name went")
	}
	t.empty()
}

func TestRenameOverReadOnlyFile(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.file("g")
	t.set("g", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
	f := t.open("f", vfs.Delete)
	t.want("rename", f.Rename(ctx, "g", Replace|ReplaceOpen), vfs.KindAccess)
	t.set("g", vfs.SetAttr{Set: vfs.SetOwner | vfs.SetMode, Mode: 0o444, UID: 1000})
	t.ok("rename", f.Rename(ctx, "g", Replace|ReplaceReadOnly))
	t.close(f)
	if t.exists("f") {
		t.Error("it was not renamed")
	}
	t.empty()
}

func replaceIf(on bool) Replacing {
	if on {
		return Replace
	}
	return 0
}
