package names

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
)

// TestMayUnlink asks twice after each change of the folder, by this process as
// well as by another: a remembered answer must go with what it was about.
func TestMayUnlink(t *testing.T) {
	if !disk.CanAct() {
		t.Skip("acting as other accounts needs root")
	}
	eachWay(t, func(t *testing.T, way Coherence) {
		dir := t.TempDir()
		for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
			os.Chmod(p, 0o755)
		}
		f, hook := hookedFixture(t, dir, Options{Coherence: way})
		f.mkdir("d")
		f.create("d/f")
		path := filepath.Join(f.dir, "d")
		n, p, err := f.Open(bg, nil, "d/f", disk.How{Flags: disk.PathOnly}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		defer p.Release()
		ann, bob := &disk.Cred{UID: 7001, GID: 7001}, &disk.Cred{UID: 7002, GID: 7002}
		chmod := func(mode string) func() { return func() { local(t, "chmod "+path+" "+mode) } }
		for _, tt := range []struct {
			name     string
			change   func()
			ann, bob bool // the folder's owner, and another
		}{
			{"root's", func() {}, false, false},
			{"given to ann", func() { os.Chown(path, 7001, 7001) }, true, false},
			{"open", func() { os.Chmod(path, 0o777) }, true, true},
			{"read-only", chmod("555"), false, false},
			{"open again", chmod("777"), true, true},
			{"sticky", func() { os.Chmod(path, 0o777|os.ModeSticky) }, true, false},
			{"open once more", chmod("777"), true, true},
			{"not to be entered", func() { os.Chmod(path, 0o776) }, true, false},
		} {
			tt.change()
			for range 2 {
				if got := f.MayUnlink(bg, ann, p, 0); got != tt.ann {
					t.Errorf("%s: ann may: %t", tt.name, got)
				}
				if got := f.MayUnlink(bg, bob, p, 0); got != tt.bob {
					t.Errorf("%s: bob may: %t", tt.name, got)
				}
			}
		}
		os.Chmod(path, 0o777|os.ModeSticky)
		if !f.MayUnlink(bg, bob, p, 7002) || !f.MayUnlink(bg, nil, p, 7001) {
			t.Error("the owner of a file and root may not take it out of a sticky folder")
		}
		if way != Generations {
			f.MayUnlink(bg, ann, p, 0)
			hook.take()
			f.MayUnlink(bg, ann, p, 0)
			if calls := hook.take(); len(calls) > 0 {
				t.Errorf("what is known was asked again: %v", calls)
			}
		}
		if f.Remove(bg, nil, p, n); f.MayUnlink(bg, nil, p, 0) {
			t.Error("a name that is gone may be taken away")
		}
	})
}
