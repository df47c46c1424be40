package share

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// below returns the paths of the files below a folder as the FS has them, with
// dates as *.
func (t *tester) below(folder string) (all []string) {
	t.Helper()
	f, err := t.fs.Open(ctx, nil, folder, vfs.OpenOptions{Access: vfs.ListDir, NoFollow: true})
	if err != nil {
		t.want("open", err, vfs.KindNotExist)
		return nil
	}
	defer f.Close()
	names, err := list(ctx, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := folder + "/" + name
		g, err := t.fs.Open(ctx, nil, path, vfs.OpenOptions{NoFollow: true})
		if err != nil {
			t.Fatal(err)
		}
		a, err := g.Attr(ctx)
		g.Close()
		if err != nil {
			t.Fatal(err)
		}
		if a.Type == vfs.TypeDir {
			all = append(all, t.below(path)...)
			continue
		}
		if before, after, stamped := strings.Cut(path, " ("); stamped {
			_, after, _ = strings.Cut(after, ")")
			path = before + "*" + after
		}
		all = append(all, path)
	}
	return all
}

func (t *tester) delete(path string) {
	t.Helper()
	t.deleteOpen(path)
	if t.exists(path) {
		t.Errorf("%s is there", path)
	}
}

func TestRecycle(tt *testing.T) {
	t := newTester(tt, Options{Recycle: ".Bin"})
	t.folder("d")
	for _, path := range []string{"a.txt", "d/b", "x"} {
		t.file(path)
	}
	root := t.watch("", WatchRequest{Changes: everyChange, Recursive: true})
	t.delete("a.txt")
	if got := t.seen(root); got != "-a.txt +.Bin/alice/a.txt" {
		t.Errorf("those who watch saw %s", got)
	}
	t.close(root)
	t.delete("d/b")
	t.delete("d") // which is empty, and gone
	t.file("a.txt")
	t.delete("a.txt")
	t.file("d") // where the bin has a folder
	t.delete("d")
	t.delete("x")
	t.folder("x")
	t.file("x/y") // where the bin has a file
	t.delete("x/y")
	t.folder("x/deep")
	t.file("x/deep/z")
	t.delete("x/deep/z")
	if got, want := strings.Join(t.below(".Bin"), " "), ".Bin/alice/a*.txt .Bin/alice/a.txt .Bin/alice/d/b .Bin/alice/d* .Bin/alice/x .Bin/alice/y* .Bin/alice/z*"; !same(got, want) {
		t.Errorf("the bin holds %s, want %s", got, want)
	}
	if got := t.content(".bin/ALICE/A.txt"); got != "a.txt" {
		t.Errorf("what was deleted holds %q", got)
	}
	for path, mode := range map[string]uint32{".Bin": 0o755, ".Bin/alice": 0o700, ".Bin/alice/d": 0o700} {
		f, err := t.fs.Open(ctx, nil, path, vfs.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := f.Attr(ctx); err != nil || a.Mode != mode {
			t.Errorf("the mode of %s is %o, %v", path, a.Mode, err)
		}
		f.Close()
	}
	// What is deleted there is gone, and so is what was never meant to stay.
	t.delete(".bin/alice/a.txt")
	t.close(t.do(OpenRequest{Path: "tmp", Access: write | vfs.Delete, Disposition: Create, DeleteOnClose: true}))
	if got := strings.Join(t.below(".Bin"), " "); strings.Contains(got, "a.txt") || strings.Contains(got, "tmp") {
		t.Errorf("the bin holds %s", got)
	}
	t.empty()
}

// same reports whether two lists have the same words.
func same(a, b string) bool {
	count := map[string]int{}
	for w := range strings.FieldsSeq(a) {
		count[w]++
	}
	for w := range strings.FieldsSeq(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestRecycleWhileOthersHaveItOpen: they go on with the file, which is in the bin
// by then.
func TestRecycleWhileOthersHaveItOpen(tt *testing.T) {
	t := newTester(tt, Options{Recycle: ".Bin"})
	t.file("f")
	other, o := t.open("f", read|vfs.WriteData), t.open("f", vfs.Delete)
	t.ok("delete", o.SetDelete(ctx, true, DeletePOSIX))
	t.close(o)
	if t.exists("f") {
		t.Error("the name stayed")
	}
	_, err := other.WriteAt(ctx, []byte("more"), 0)
	t.ok("write", err)
	t.close(other)
	if got := t.content(".Bin/alice/f"); got != "more" {
		t.Errorf("the bin has %q", got)
	}
	t.empty()
}

// TestRecycleOfUsers: each has a folder, guests one together, whatever name a
// user has.
func TestRecycleOfUsers(tt *testing.T) {
	t := newTester(tt, Options{Recycle: ".Bin", Guest: GuestWrite})
	for _, id := range []*auth.Identity{{Guest: true}, {User: "bob"}, {User: ".."}, {User: "../x"}} {
		tree, err := t.share.Attach(id, netip.Addr{})
		if err != nil {
			t.Fatal(err)
		}
		t.tree = tree
		t.file("f")
		t.delete("f")
	}
	if got, want := strings.Join(t.below(".Bin"), " "), ".Bin/+guest/f .Bin/bob/f .Bin/+other/f .Bin/+other/f*"; !same(got, want) {
		t.Errorf("the bin holds %s, want %s", got, want)
	}
}

// TestRecycleIsNobodysTrap: no client makes the bin or the folder of another in it,
// and one that a local program has made gets nothing.
func TestRecycleIsNobodysTrap(tt *testing.T) {
	t := newTester(tt, Options{Recycle: ".Bin"})
	eve, bob := &vfs.Caller{User: "eve", HasID: true, UID: 5}, &auth.Identity{User: "bob", HasID: true, UID: 9, GID: 7}
	refused := func(what string, err error) {
		t.Helper()
		t.want(what, err, vfs.KindAccess)
	}
	folder := func(path string) error {
		o, _, err := t.tree.Open(ctx, OpenRequest{Path: path, Access: read, Share: shareAll, Disposition: OpenIf, Directory: true})
		if err == nil {
			t.close(o)
		}
		return err
	}
	rename := func(from, to string) error {
		o := t.open(from, vfs.Delete)
		defer t.close(o)
		return o.Rename(ctx, to, 0)
	}
	t.folder("d")
	refused("make the bin", folder(".bin"))
	refused("rename to the bin", rename("d", ".BIN"))
	refused("make it in private characters", folder("\uf029bin"))
	refused("rename to it in these", rename("d", "\uf029Bin"))
	t.file("f")
	t.delete("f") // which makes it
	refused("make a folder in it", folder(".Bin/bob"))
	refused("rename into it", rename("d", ".Bin/bob"))
	refused("rename into it in private characters", rename("d", "\uf029Bin/bob"))
	refused("rename it", rename(".Bin", "d2"))
	t.ok("open it", folder(".bin"))
	t.ok("open a folder in it", folder(".bin/alice"))
	t.ok("make one in that", folder(".bin/alice/new"))
	t.ok("take something out", rename(".Bin/alice/f", "f"))

	// A local program may.
	t.set(".Bin", vfs.SetAttr{Set: vfs.SetMode, Mode: 0o1777})
	f, err := t.fs.Create(ctx, eve, ".Bin/bob", vfs.CreateOptions{Directory: true, HasMode: true, Mode: 0o777})
	t.ok("create", err)
	t.set("", vfs.SetAttr{Set: vfs.SetMode, Mode: 0o777})
	if t.tree, err = t.share.Attach(bob, netip.Addr{}); err != nil {
		t.Fatal(err)
	}
	o := t.open("f", vfs.Delete)
	t.ok("delete", o.SetDelete(ctx, true, 0))
	refused("delete into the hands of another", o.Close(ctx))
	if !t.exists("f") {
		t.Error("f is gone")
	}
	t.ok("remove", t.fs.Remove(ctx, nil, f))
	f.Close()
	t.set(".Bin", vfs.SetAttr{Set: vfs.SetMode, Mode: binMode})

	// What the server makes is bob's, though he makes nothing in the bin.
	t.delete("f")
	o = t.open(".Bin/bob", vfs.ReadAttr)
	if a, err := o.Attr(ctx); err != nil || a.UID != 9 || a.GID != 7 || a.Mode != 0o700 {
		t.Errorf("bob's folder belongs to %d:%d, mode %o, %v", a.UID, a.GID, a.Mode, err)
	}
	t.close(o)
	if _, err := t.fs.Create(ctx, eve, ".Bin/carl", vfs.CreateOptions{Directory: true}); err == nil {
		t.Error("everybody may make something in the bin")
	}
	t.empty()
}

// stubborn is an FS that renames nothing.
type stubborn struct {
	vfs.FS
	kind vfs.Kind
}

func (s *stubborn) Rename(context.Context, *vfs.Caller, vfs.File, string, bool) (string, error) {
	return "", vfs.NewError("rename", "", s.kind, nil)
}

// TestRecycleThatFails: a file that the bin can't take is gone, which is told;
// where only a right is missing it stays.
func TestRecycleThatFails(tt *testing.T) {
	for kind, gone := range map[vfs.Kind]bool{vfs.KindNoSpace: true, vfs.KindQuota: true, vfs.KindCrossDevice: true, vfs.KindAccess: false, vfs.KindIO: false} {
		fs := memfs.New()
		var told []string
		s := New(&stubborn{fs, kind}, Options{Recycle: ".Bin", BinFailed: func(path string, purged bool, why error) {
			if !vfs.IsKind(why, kind) || purged != gone {
				tt.Errorf("%v: told %v, and that it is gone: %v", kind, why, purged)
			}
			told = append(told, path)
		}})
		t := &tester{T: tt, fs: fs, share: s, tree: attach(tt, s, "alice")}
		t.file("f")
		o := t.open("f", vfs.Delete)
		t.ok("delete", o.SetDelete(ctx, true, 0))
		err := o.Close(ctx)
		if t.exists("f") == gone || (err == nil) != gone || len(told) != 1 && kind != vfs.KindIO {
			t.Errorf("%v: closed with %v, gone: %v, told of %q", kind, err, !t.exists("f"), told)
		}
		t.empty()
	}
}

func TestVersion(t *testing.T) {
	at := time.Date(2026, 11, 30, 18, 4, 11, 312e6, time.UTC)
	for name, want := range map[string]string{
		"draft.txt":                      "draft (2026-11-30 18.04.11.312).txt",
		".profile":                       ".profile (2026-11-30 18.04.11.312)",
		"a":                              "a (2026-11-30 18.04.11.312)",
		strings.Repeat("ä", 127) + "x.y": strings.Repeat("ä", 113) + " (2026-11-30 18.04.11.312).y",
	} {
		if got := version(name, at); got != want || len(got) > maxNameSize {
			t.Errorf("version of %s is %s", name, got)
		}
	}
}
