package share

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs"
)

const day = 24 * time.Hour

// TestExpire: what is in the bin for long enough goes, whatever clients did or see,
// and nothing else.
func TestExpire(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{Recycle: ".Bin", RecycleFor: 30 * day, Veto: []string{".Bin", "*.tmp"}})
		expire := func(want int) {
			t.Helper()
			if gone, err := t.share.Expire(ctx); gone != want || err != nil {
				t.Errorf("%d are gone, %v; want %d", gone, err, want)
			}
		}
		holds := func(want string) {
			t.Helper()
			if got := strings.Join(t.below(".Bin"), " "); !same(got, want) {
				t.Errorf("the bin holds %q, want %q", got, want)
			}
		}
		expire(0) // there is no bin
		for _, path := range []string{"old", "read-only", "restored", "open"} {
			t.file(path)
		}
		t.folder("d")
		t.folder("d/e")
		t.file("d/e/deep")
		time.Sleep(365 * day) // that a file is old says nothing
		for _, path := range []string{"old", "read-only", "restored", "open", "d/e/deep"} {
			t.delete(path)
		}
		t.file(".Bin/alice/x.tmp") // by a local process
		t.set(".Bin/alice/read-only", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
		t.ok("link", t.fs.Symlink(".Bin/alice/link", "../../d"))
		t.file("d/kept")
		expire(0)
		time.Sleep(29 * day)
		t.file("new")
		t.delete("new")
		expire(0)

		time.Sleep(2 * day)
		unseen := t.tree
		t.share.SetOptions(Options{Recycle: ".Bin", RecycleFor: 30 * day})
		t.tree = attach(tt, t.share, "alice")
		o := t.open(".Bin/alice/restored", deleter)
		t.ok("restore", o.Rename(ctx, "restored", 0))
		t.close(o)
		o = t.open(".Bin/alice/open", read)
		t.share.SetOptions(*unseen.options)
		expire(7) // old, read-only, x.tmp, the link, deep, and the folders that this was in
		holds(".Bin/alice/open .Bin/alice/new")
		if !t.exists("restored") || !t.exists("d/kept") || t.exists(".Bin/alice/d") || !t.exists(".Bin/alice") {
			t.Error("something else is gone, or not all")
		}
		t.close(o)
		expire(1)
		holds(".Bin/alice/new")

		// Without the option, and where nobody may change anything, all stays.
		time.Sleep(60 * day)
		for _, o := range []Options{{Recycle: ".Bin"}, {RecycleFor: day}, {Recycle: ".Bin", RecycleFor: day, ReadOnly: true}} {
			t.share.SetOptions(o)
			expire(0)
		}
		t.share.SetOptions(Options{Recycle: ".bin", RecycleFor: day})
		ended, stop := context.WithCancel(ctx)
		stop()
		if gone, err := t.share.Expire(ended); gone != 0 || err != nil {
			t.Errorf("after the end %d went, %v", gone, err)
		}
		expire(1)
		t.share.End()
		expire(0)
		t.tree.Release()
		unseen.Release()
		t.share.Wait() // it holds nothing
		t.empty()
	})
}

// TestExpireOfDisksWithoutTimesOfChange: there the time of access counts, which was
// set when the file came.
func TestExpireOfDisksWithoutTimesOfChange(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{Recycle: ".Bin", RecycleFor: 30 * day})
		t.file("f")
		made := time.Now()
		time.Sleep(365 * day)
		t.delete("f")
		t.set(".Bin/alice/f", vfs.SetAttr{Set: vfs.SetChanged, Changed: made})
		for _, want := range []int{0, 1} {
			if gone, err := t.share.Expire(ctx); gone != want || err != nil {
				t.Errorf("%d are gone, %v; want %d", gone, err, want)
			}
			time.Sleep(31 * day)
		}
		t.empty()
	})
}

// swapping is an FS that has do called before a folder is opened to be listed.
type swapping struct {
	vfs.FS
	do func(path string)
}

func (s *swapping) Open(ctx context.Context, c *vfs.Caller, path string, o vfs.OpenOptions) (vfs.File, error) {
	if o.Access == vfs.ListDir || o.Access == vfs.Delete {
		s.do(path)
	}
	return s.FS.Open(ctx, c, path, o)
}

// TestExpireLeadsNowhere: a folder of the bin that becomes a link while it is
// looked at has nothing removed behind it.
func TestExpireLeadsNowhere(tt *testing.T) {
	for _, moment := range []string{".Bin/alice/d", ".Bin/alice/d/e", ".Bin/alice/d/e/f"} {
		synctest.Test(tt, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.folder("d")
			t.folder("d/e")
			t.file("d/e/f")
			fs := &swapping{t.fs, func(string) {}}
			t.share = New(fs, Options{Recycle: ".Bin", RecycleFor: day})
			t.tree = attach(tt, t.share, "alice")
			t.delete("d/e/f")
			t.file("d/e/f")
			time.Sleep(2 * day)
			fs.do = func(path string) {
				if path != moment {
					return
				}
				fs.do = func(string) {}
				o, err := t.fs.Open(ctx, nil, ".Bin/alice/d", vfs.OpenOptions{})
				t.ok("open", err)
				_, err = t.fs.Rename(ctx, nil, o, ".Bin/alice/away", false)
				t.ok("rename", err)
				o.Close()
				t.ok("link", t.fs.Symlink(".Bin/alice/d", "../../d"))
			}
			t.share.Expire(ctx)
			if got := strings.Join(t.below("d"), " "); got != "d/e/f" {
				t.Errorf("%s: left are %q", moment, got)
			}
			if !t.exists(".Bin/alice/d") {
				t.Error("no link was put there: the test sees nothing")
			}
			t.empty()
		})
	}
}

// TestExpiredIsTold: in the audit log stands what went, by nobody.
func TestExpiredIsTold(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		got := audited(tt, Options{Recycle: ".Bin", RecycleFor: day}, func(t *tester) {
			t.file("f")
			t.delete("f")
			time.Sleep(2 * day)
			t.share.Expire(ctx)
		})
		if want := "recycle f .Bin/alice/f ok\nexpire .Bin/alice/f ok"; got != want {
			tt.Errorf("the lines are\n%s\nwant\n%s", got, want)
		}
	})
}

// TestExpireIsNobodysTool: what a folder holds that its user could not remove stays,
// whoever brought it into the bin, and clients bring no folder there.
func TestExpireIsNobodysTool(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{Recycle: ".Bin", RecycleFor: day})
		t.file("f")
		t.delete("f") // which makes alice's folder
		bob := &vfs.Caller{User: "bob", HasID: true, UID: 9}
		t.folder("project")
		for _, path := range []string{"", "project"} {
			t.set(path, vfs.SetAttr{Set: vfs.SetMode, Mode: 0o777})
		}
		for _, f := range []struct {
			path      string
			directory bool
			mode      uint32
		}{{"project/private", true, 0o700}, {"project/private/kept", false, 0o600}} {
			made, err := t.fs.Create(ctx, bob, f.path, vfs.CreateOptions{Directory: f.directory, HasMode: true, Mode: f.mode})
			if err != nil {
				t.Fatal(err)
			}
			made.Close()
		}
		o := t.open("project", vfs.Delete)
		t.want("move a folder there", o.Rename(ctx, ".Bin/alice/project", 0), vfs.KindAccess)
		eve, err := t.share.Attach(&auth.Identity{User: "eve", HasID: true, UID: 5}, netip.Addr{})
		if err != nil {
			t.Fatal(err)
		}
		t.tree = eve
		t.file("g")
		t.delete("g") // which makes eve's
		theirs, err := t.fs.Open(ctx, eve.Caller(), ".Bin/eve", vfs.OpenOptions{Access: vfs.WriteControl})
		t.ok("open", err)
		t.ok("let others through", theirs.SetAttr(ctx, eve.Caller(), vfs.SetAttr{Set: vfs.SetMode, Mode: 0o755}))
		theirs.Close()
		_, err = t.fs.Rename(ctx, eve.Caller(), o.file, ".Bin/eve/project", false) // by a local program
		t.ok("rename", err)
		t.close(o)
		time.Sleep(2 * day)
		t.share.Expire(ctx)
		kept, err := t.fs.Open(ctx, &vfs.Caller{HasID: true}, ".Bin/eve/project/private/kept", vfs.OpenOptions{})
		if err != nil {
			t.Fatalf("what only bob can remove: %v", err)
		}
		kept.Close()
		if t.exists(".Bin/alice/f") {
			t.Error("what alice deleted is there")
		}
	})
}
