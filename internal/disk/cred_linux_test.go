package disk

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

func asRoot(t *testing.T) {
	if !CanAct() {
		t.Skip("acting as another account needs root")
	}
}

// openPublic opens a folder that every account reaches and may write into.
func openPublic(t *testing.T) (*Node, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "dozo-cred")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	n, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n, dir
}

// TestActingAsAnAccount asks the same of the kernel and of the guard that
// stands in for it on other systems.
func TestActingAsAnAccount(t *testing.T) {
	asRoot(t)
	t.Run("kernel", actAsAccounts)
	t.Run("guard", func(t *testing.T) {
		self.root, guards = false, true
		defer func() { self.root, guards = true, false }()
		actAsAccounts(t)
	})
}

// TestLargeIDs acts as accounts whose ids need more than 16 bits, which another
// account's may be the end of.
func TestLargeIDs(t *testing.T) {
	asRoot(t)
	r, _ := openPublic(t)
	for i, c := range []*Cred{
		{UID: 1<<16 + 4001, GID: 1<<16 + 4002, Groups: []uint32{1<<16 + 4003}},
		{UID: 1<<31 + 4001, GID: 1<<31 + 4002, Groups: []uint32{1<<31 + 4003}},
	} {
		f, err := r.Open(c, string(rune('a'+i)), How{Flags: Write | Create | Exclusive, Mode: 0o600})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if st, _ := f.Stat(); st.UID != c.UID || st.GID != c.GID {
			t.Errorf("the file of %d:%d belongs to %d:%d", c.UID, c.GID, st.UID, st.GID)
		}
		if err := f.Chown(c, -1, int(c.Groups[0])); err != nil {
			t.Errorf("%d gives it to group %d: %v", c.UID, c.Groups[0], err)
		}
		if st, _ := f.Stat(); st.GID != c.Groups[0] {
			t.Errorf("it belongs to group %d, want %d", st.GID, c.Groups[0])
		}
	}
}

func actAsAccounts(t *testing.T) {
	r, dir := openPublic(t)
	ann := &Cred{UID: 4001, GID: 4001, Groups: []uint32{4100}}
	bob := &Cred{UID: 4002, GID: 4002}
	create := How{Flags: Read | Write | Create | Exclusive, Mode: 0o600}

	f, err := r.Open(ann, "ann", create)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// BSD's rule, which the guard keeps, is the group of the folder.
	if st, _ := f.Stat(); st.UID != 4001 || !guards && st.GID != 4001 {
		t.Errorf("ann's file belongs to %d:%d", st.UID, st.GID)
	}
	if _, err := r.Open(bob, "ann", How{Flags: Read}); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("bob opens ann's file: %v", err)
	}
	if err := f.Chmod(bob, 0o666); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("bob changes the mode of ann's file: %v", err)
	}
	if err := f.Chown(ann, 4002, -1); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("ann gives her file away: %v", err)
	}
	if err := f.Chown(ann, -1, 4100); err != nil {
		t.Errorf("ann gives her file to a group of hers: %v", err)
	}
	if err := f.Access(ann, MayRead|MayWrite); err != nil {
		t.Errorf("ann's access: %v", err)
	}
	if err := f.Access(bob, MayRead); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("bob's access: %v", err)
	}
	if err := r.Mkdir(bob, "bob", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(ann, "bob/x", create); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("ann creates in bob's folder: %v", err)
	}
	d, err := r.Open(nil, "bob", How{Flags: Directory})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := r.Rename(ann, "ann", d, "ann", true); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("ann moves into bob's folder: %v", err)
	}
	if err := r.Rename(nil, "ann", d, "ann", true); err != nil {
		t.Errorf("the process moves into bob's folder: %v", err)
	}

	// A folder that lets nobody else through, and a sticky one.
	if _, err := r.Open(ann, "bob/ann", How{Flags: Read}); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("ann reads her file in bob's folder: %v", err)
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := r.Remove(ann, "bob", true); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("ann removes bob's folder from a sticky one: %v", err)
	}
	if err := r.Mkdir(ann, "hers", 0o700); err != nil {
		t.Error(err)
	}
	if err := r.Rename(ann, "hers", r, "hers2", true); err != nil {
		t.Errorf("ann moves her folder in a sticky one: %v", err)
	}
	if err := r.Remove(ann, "hers2", true); err != nil {
		t.Errorf("ann removes her folder from a sticky one: %v", err)
	}
	if err := r.Symlink(ann, "to", "link"); err != nil {
		t.Error(err)
	}
	if st, err := r.StatAt("link"); st.UID != 4001 {
		t.Errorf("ann's link belongs to %d, %v", st.UID, err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(ann, "new", create); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("ann creates where she may not: %v", err)
	}
	if _, err := r.Open(ann, "new", How{Flags: Write | Create, Mode: 0o600}); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("ann creates or opens where she may not: %v", err)
	}

	// Access by a further group alone.
	shared := filepath.Join(dir, "group")
	if err := os.WriteFile(shared, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(shared, 0, 4100); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Open(ann, "group", How{Flags: Read}); err != nil {
		t.Errorf("ann reads by her group: %v", err)
	} else {
		n.Close()
	}
	if _, err := r.Open(bob, "group", How{Flags: Read}); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("bob reads a group's file: %v", err)
	}
}

// TestThreadsKeepTheirIDs looks for a thread that was left as somebody else,
// by the owner of files that the process itself makes meanwhile.
func TestThreadsKeepTheirIDs(t *testing.T) {
	asRoot(t)
	r, _ := openPublic(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := &Cred{UID: 5000 + uint32(i), GID: 5000 + uint32(i), Groups: make([]uint32, i%3)}
			if i%2 == 0 {
				c = nil
			}
			name := string(rune('a' + i))
			for range 300 {
				f, err := r.Open(c, name, How{Flags: Write | Create | Exclusive, Mode: 0o600})
				if err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
				st, err := f.Stat()
				if err != nil || c != nil && st.UID != c.UID || c == nil && st.UID != self.UID {
					t.Errorf("file made as %v belongs to %d, %v", c, st.UID, err)
				}
				f.WriteAt([]byte("x"), 0)
				f.Close()
				if err := r.Remove(c, name, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if groups, err := unix.Getgroups(); err != nil || len(groups) != len(self.Groups) {
		t.Errorf("groups of a thread: %v, %v; want %v", groups, err, self.Groups)
	}
}

func TestAFailedWayBackEndsTheProcess(t *testing.T) {
	defer func(old func(int), stderr *os.File) { exit, os.Stderr = old, stderr }(exit, os.Stderr)
	os.Stderr, _ = os.Open(os.DevNull) // it says why
	code := -1
	exit = func(c int) { code = c }
	must("user id", nil)
	if code != -1 {
		t.Error("no failure ended the process")
	}
	must("user id", unix.EPERM)
	if code == -1 || code == 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestNilAndOwnCredDontSwitch(t *testing.T) {
	for name, c := range map[string]*Cred{"nil": nil, "own": {UID: self.UID, GID: self.GID}} {
		if c.differs() {
			t.Errorf("%s Cred switches", name)
		}
	}
}
