package share

import (
	"testing"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// linked is a share with links to a file, a folder and nothing.
func linked(tt *testing.T) *tester {
	t := newTester(tt, Options{})
	t.folder("d")
	t.file("d/f")
	t.file("taken")
	t.ok("symlink", t.fs.Symlink("file", "d/f"))
	t.ok("symlink", t.fs.Symlink("folder", "d"))
	t.ok("symlink", t.fs.Symlink("nowhere", "x"))
	return t
}

// What deletes a link leaves the target, whatever rights the open has.
func TestDeleteLinks(tt *testing.T) {
	deletes := map[string]func(t *tester, path string, a vfs.Access) *Open{
		"on close": func(t *tester, path string, a vfs.Access) *Open {
			return t.do(OpenRequest{Path: path, Access: a, Share: shareAll, Disposition: OpenExisting, DeleteOnClose: true})
		},
		"later": func(t *tester, path string, a vfs.Access) *Open {
			o := t.open(path, a)
			t.ok("delete", o.SetDelete(ctx, true, 0))
			return o
		},
		"created on close": func(t *tester, path string, a vfs.Access) *Open {
			return t.do(OpenRequest{Path: path, Access: a, Share: shareAll, Disposition: OpenIf, DeleteOnClose: true})
		},
	}
	for name, del := range deletes {
		for _, c := range []struct {
			path   string
			access vfs.Access
		}{
			{"file", vfs.Delete},
			{"file", vfs.Delete | vfs.ReadAttr},
			{"file", vfs.Delete | read},
			{"file", everything},
			{"folder", vfs.Delete},
			{"folder", vfs.Delete | vfs.ListDir | vfs.ReadAttr},
			{"nowhere", vfs.Delete},
			{"nowhere", vfs.Delete | vfs.ReadAttr | vfs.WriteAttr},
		} {
			tt.Run(name+" "+c.path, func(tt *testing.T) {
				t := linked(tt)
				t.set("d/f", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
				if c.access.Has(vfs.WriteData) {
					t.set("d/f", vfs.SetAttr{Set: vfs.SetDOS})
				}
				t.close(del(t, c.path, c.access))
				if t.exists(c.path) {
					t.Error("the link is still there")
				}
				if !t.exists("d/f") {
					t.Error("the target is gone")
				}
				t.empty()
			})
		}
	}
}

// A name and a link to it are two names: one that is to go leaves the other.
func TestLinksAreDoomedByThemselves(tt *testing.T) {
	t := linked(tt)
	byName := t.open("d/f", vfs.Delete|read)
	byLink := t.open("file", vfs.Delete|read)
	if byName.Key() != byLink.Key() {
		t.Fatal("two files")
	}
	t.ok("delete", byLink.SetDelete(ctx, true, 0))
	if byName.DeletePending() || !byLink.DeletePending() {
		t.Error("the wrong name is to go")
	}
	t.refused(OpenRequest{Path: "file", Access: read, Share: shareAll, Disposition: OpenExisting}, vfs.KindDeletePending)
	t.refused(OpenRequest{Path: "file", Access: read, Share: shareAll, Disposition: Create}, vfs.KindDeletePending)
	t.close(t.open("d/f", read))
	t.close(byLink)
	if t.exists("file") || !t.exists("d/f") {
		t.Error("the wrong name went")
	}
	t.ok("symlink", t.fs.Symlink("file", "d/f"))
	byLink = t.open("file", read)
	t.ok("delete", byName.SetDelete(ctx, true, 0))
	t.close(byName)
	if !t.exists("file") || t.exists("d/f") {
		t.Error("the wrong name went")
	}
	t.close(byLink)
	t.empty()
}

// A folder that is to go takes nothing new, by whatever way.
func TestLinkToDoomedFolder(tt *testing.T) {
	t := newTester(tt, Options{})
	t.folder("d")
	t.file("f")
	t.ok("symlink", t.fs.Symlink("l", "d"))
	d := t.open("d", vfs.Delete|vfs.ListDir)
	t.ok("delete", d.SetDelete(ctx, true, 0))
	f := t.open("f", vfs.Delete)
	for _, path := range []string{"d/new", "l/new"} {
		t.refused(OpenRequest{Path: path, Access: write, Disposition: Create}, vfs.KindDeletePending)
		t.want("rename", f.Rename(ctx, path, 0), vfs.KindDeletePending)
	}
	t.close(d, f)
	// The link that is to go is not the folder.
	t.folder("d")
	l := t.open("l", vfs.Delete|vfs.ReadAttr)
	t.ok("delete", l.SetDelete(ctx, true, 0))
	t.close(t.do(OpenRequest{Path: "d/new", Access: write, Disposition: Create}), l)
	t.empty()
}

func TestRenameLinks(tt *testing.T) {
	const success = vfs.Kind(255)
	for _, c := range []struct {
		from, to string
		replace  bool
		want     vfs.Kind
	}{
		{"file", "x", false, success},
		{"file", "FILE", false, success},
		{"file", "file", true, success},
		{"file", "d/x", false, success},
		{"file", "taken", false, vfs.KindExist},
		{"file", "taken", true, success},
		{"file", "nowhere", true, success},
		{"file", "folder", true, success}, // a link is no folder
		{"file", "d/f", false, vfs.KindExist},
		{"file", "d/f", true, vfs.KindAccess}, // it is open, by the link
		{"folder", "Folder", false, success},
		{"folder", "d/in", false, vfs.KindSharing}, // what it leads to is open to be deleted, as far as others know
		{"folder", "taken", true, success},
		{"nowhere", "x", false, success},
		{"taken", "file", true, success},
		{"d/f", "file", true, success},
	} {
		tt.Run(c.from+" to "+c.to, func(tt *testing.T) {
			t := linked(tt)
			busy := t.open("d/f", read) // is in nobody's way below a link
			if c.from == "d/f" || c.to == "d/f" {
				t.close(busy)
			}
			o := t.open(c.from, vfs.Delete|vfs.ReadAttr)
			err := o.Rename(ctx, c.to, replaceIf(c.replace))
			if c.want != success {
				t.want("rename", err, c.want)
			} else if t.ok("rename", err); o.Path() != c.to {
				t.Errorf("it is called %s", o.Path())
			}
			t.close(o)
			if c.from != "d/f" && !t.exists("d/f") {
				t.Error("the target is gone")
			}
		})
	}
}

// Changes of a target are told where it is, those of a link's name where that is.
func TestWatchLinks(tt *testing.T) {
	t := linked(tt)
	all := Changes(0xfff)
	watch := func(path string) (next func() []Change) {
		o := t.open(path, vfs.ListDir|vfs.ReadAttr)
		r := WatchRequest{Changes: all, Room: 1000}
		first, begun := make(chan []Change, 1), make(chan struct{})
		go func() {
			changes, _, err := o.Watch(OnPark(ctx, func(*Waiting) { close(begun) }), r)
			t.ok("watch", err)
			first <- changes
			o.Close(ctx)
		}()
		<-begun
		return func() []Change { return <-first }
	}
	root, folder := watch(""), watch("folder")
	o := t.open("file", write|vfs.Delete)
	_, err := o.WriteAt(ctx, []byte("x"), 0)
	t.ok("write", err)
	if got := folder(); len(got) == 0 || got[0].Name != "f" || got[0].Action != lock.Modified {
		t.Errorf("the linked folder was told %v", got)
	}
	t.ok("delete", o.SetDelete(ctx, true, 0))
	t.close(o)
	if got := root(); len(got) == 0 || got[0].Name != "file" || got[0].Action != lock.Removed {
		t.Errorf("the link's folder was told %v", got)
	}
}
