package share

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// listed returns what a client sees in a folder, hidden names with an h behind
// them.
func (t *tester) listed(path string) string {
	t.Helper()
	d := t.open(path, vfs.ListDir)
	defer t.close(d)
	l, err := d.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var names []string
	entries := make([]vfs.Entry, 1) // so that many a call finds nothing to show
	for err == nil {
		var n int
		if n, err = l.Next(ctx, entries, false); n == 0 && err == nil {
			t.Fatal("an enumeration gives nothing, and does not end")
		}
		for _, e := range entries[:n] {
			if e.Attr.DOS&vfs.DOSHidden != 0 {
				e.Name += ":h"
			}
			names = append(names, e.Name)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestVeto(tt *testing.T) {
	t := newTester(tt, Options{Veto: []string{"*.tmp", "thumbs.db", "\u00e9t\u00e9", "Icon\r", "lost"}})
	t.folder("d")
	t.folder("lost")
	for _, path := range []string{"a", "b.TMP", "Thumbs.db", "\u00c9T\u00c9", "Icon\uf00d", "d/x.tmp", "d/y", "lost/found"} {
		t.file(path)
	}
	if got := t.listed(""); got != "a d" {
		t.Errorf("the root holds %q", got)
	}
	if got := t.listed("d"); got != "y" {
		t.Errorf("d holds %q", got)
	}
	root := t.open("", vfs.ListDir)
	for name, there := range map[string]bool{"a": true, "B.tmp": false, "Icon\uf00d": false} {
		if _, err := root.Lookup(ctx, name, false); there && err != nil || !there && !vfs.IsKind(err, vfs.KindNotExist) {
			t.Errorf("Lookup %+q: %v", name, err)
		}
	}
	t.close(root)

	open := func(path string, d Disposition) OpenRequest {
		return OpenRequest{Path: path, Access: read | vfs.WriteData, Share: shareAll, Disposition: d}
	}
	for _, path := range []string{"b.tmp", "B.TMP", "thumbs.DB", "new.tmp", "d/X.TMP", "\u00c9t\u00e9", "Icon\uf00d"} {
		for d := range OverwriteIf + 1 {
			want := vfs.KindNotExist
			if d.creates() {
				want = vfs.KindAccess
			}
			t.refused(open(path, d), want)
		}
	}
	t.refused(open("lost/found", OpenExisting), vfs.KindPathNotExist)
	t.refused(open("lost/new", Create), vfs.KindPathNotExist)
	t.refused(OpenRequest{Path: "new.tmp", Access: vfs.ListDir, Share: shareAll, Disposition: Create, Directory: true}, vfs.KindAccess)

	a := t.open("a", deleter)
	t.want("rename to a vetoed name", a.Rename(ctx, "a.tmp", Replace), vfs.KindAccess)
	t.want("rename over a vetoed name", a.Rename(ctx, "b.tmp", Replace), vfs.KindAccess)
	t.want("rename into a vetoed folder", a.Rename(ctx, "lost/a", 0), vfs.KindPathNotExist)
	t.want("link to a vetoed name", a.Link(ctx, "c.tmp", 0), vfs.KindAccess)
	t.close(a)
	for _, path := range []string{"b.TMP", "d/x.tmp", "lost/found"} {
		if !t.exists(path) {
			t.Errorf("%s is gone", path)
		}
	}
	// With its folder it moves.
	d := t.open("d", vfs.Delete)
	t.ok("rename of the folder", d.Rename(ctx, "e", 0))
	t.close(d)
	if !t.exists("e/x.tmp") {
		t.Error("what clients do not see stayed behind")
	}
	t.empty()
}

// TestVetoOfWhatIsSpeltOtherwise: what a client sends in private characters is on
// the disk the name that they stand for.
func TestVetoOfWhatIsSpeltOtherwise(tt *testing.T) {
	t := newTester(tt, Options{Veto: []string{".git", "a:b", "*.tmp", "end "}})
	t.file("f")
	f := t.open("f", deleter)
	for _, name := range []string{"\uf029git", "a\uf022b", "a\uf03ab", "x\uf029tmp", "end\uf028"} {
		t.refused(OpenRequest{Path: name, Access: write, Share: shareAll, Disposition: Create}, vfs.KindAccess)
		t.refused(OpenRequest{Path: name + "/new", Access: write, Share: shareAll, Disposition: Create}, vfs.KindPathNotExist)
		t.want("rename to "+name, f.Rename(ctx, name, Replace), vfs.KindAccess)
		t.want("link to "+name, f.Link(ctx, name, Replace), vfs.KindAccess)
	}
	t.close(f)
	for _, name := range []string{"\uf029gi", "a\uf024b", "\uf000", "\uf8ff", "\uf021.tm"} {
		t.close(t.do(OpenRequest{Path: name, Access: write, Share: shareAll, Disposition: Create}))
	}
	t.empty()
}

// TestVetoedNamesAreNotTold: those who watch a folder do not hear of them.
func TestVetoedNamesAreNotTold(tt *testing.T) {
	t := newTester(tt, Options{})
	before := t.tree // which sees all, as long as its client is not attached again
	t.share.SetOptions(Options{Veto: []string{"*.tmp"}})
	t.tree = attach(tt, t.share, "alice")
	w := t.watch("", WatchRequest{Changes: everyChange, Recursive: true})
	t.tree = before
	for _, path := range []string{"a.tmp", "b"} {
		t.close(t.do(OpenRequest{Path: path, Access: write, Share: shareAll, Disposition: Create}))
	}
	if got := t.seen(w); got != "+b" {
		t.Errorf("seen: %s", got)
	}
	t.close(w)
	t.empty()
}

func TestDeleteVetoed(tt *testing.T) {
	for _, sweeps := range []bool{false, true} {
		t := newTester(tt, Options{Veto: []string{".*"}, DeleteVetoed: sweeps})
		t.folder("d")
		t.file("d/.x")
		t.folder("d/.y")
		t.folder("d/.y/z")
		t.file("d/.y/z/w")
		t.folder("e")
		t.file("e/.x")
		t.file("e/seen")
		o := t.open("d", vfs.Delete)
		if err := o.SetDelete(ctx, true, 0); sweeps {
			t.ok("delete", err)
		} else {
			t.want("delete", err, vfs.KindNotEmpty)
		}
		t.close(o)
		if t.exists("d") == sweeps {
			t.Errorf("with DeleteVetoed %v: the folder is there: %v", sweeps, !sweeps)
		}
		o = t.open("e", vfs.Delete)
		t.want("delete of what holds something", o.SetDelete(ctx, true, 0), vfs.KindNotEmpty)
		t.close(o)
		if !t.exists("e/.x") || !t.exists("e/seen") {
			t.Error("what was in a folder that stays is gone")
		}
		t.empty()
	}
}

func TestHide(tt *testing.T) {
	t := newTester(tt, Options{Hide: []string{"*.INI", "~$*"}})
	for _, path := range []string{"desktop.ini", "~$report", "report"} {
		t.file(path)
	}
	if got := t.listed(""); got != "desktop.ini:h report ~$report:h" {
		t.Errorf("the root holds %q", got)
	}
	o := t.open("DESKTOP.ini", read|vfs.WriteAttr)
	a, err := o.Attr(ctx)
	if err != nil || a.DOS != vfs.DOSArchive|vfs.DOSHidden || o.AttrAtOpen().DOS != a.DOS {
		t.Errorf("attributes %#x and, when it was opened, %#x, %v", a.DOS, o.AttrAtOpen().DOS, err)
	}
	// A client gives back what it was told, and more. It is not stored.
	t.ok("set", o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS, DOS: a.DOS | vfs.DOSSystem}))
	t.close(o)
	t.share.SetOptions(Options{})
	o = t.open("desktop.ini", read)
	if a, err := o.Attr(ctx); err != nil || a.DOS != vfs.DOSArchive|vfs.DOSSystem|vfs.DOSHidden {
		t.Errorf("the tree of before: %#x, %v", a.DOS, err)
	}
	t.close(o)
	t.tree = attach(tt, t.share, "alice")
	o = t.open("desktop.ini", read)
	if a, err := o.Attr(ctx); err != nil || a.DOS != vfs.DOSArchive|vfs.DOSSystem {
		t.Errorf("without the pattern: %#x, %v", a.DOS, err)
	}
	t.close(o)
	// Emptying it asks for no attribute.
	t.tree.share.SetOptions(Options{Hide: []string{"report"}})
	t.tree = attach(tt, t.share, "alice")
	t.close(t.do(OpenRequest{Path: "report", Access: write, Share: shareAll, Disposition: OverwriteIf}))
	t.empty()
}

func TestCheckPattern(t *testing.T) {
	for _, text := range []string{"", "*", "**", "?*", "*?*", "a/b", "a\\b", "a\x00"} {
		if CheckPattern(text) == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for _, text := range []string{"?", "??*", "*.*", "a", "._*"} {
		if err := CheckPattern(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestWithoutPatternsNothingIsHeldAgainstAny: what a share costs that has none is
// what it cost before.
func TestWithoutPatternsNothingIsHeldAgainstAny(tt *testing.T) {
	t := newTester(tt, Options{})
	if t.share.o.Load().filter != nil {
		t.Fatal("there is a filter")
	}
	o := t.open("", vfs.ListDir)
	defer t.close(o)
	var f *filter
	c := call{op: "open"}
	if n := testing.AllocsPerRun(100, func() {
		if f.seen(&c, "a/b/c") != nil || f.mayBe(&c, "a/b") != nil || o.hidden() {
			t.Error("a name is not seen")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
