package names

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

func inodeOf(info os.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

const nobody = 65534

// TestAsAnOrdinaryUser runs the tests of coherence once more as one, whose
// queues are bounded and don't tell others' process ids.
func TestAsAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("is one already, or can't become another")
	}
	for _, parent := range []string{os.TempDir(), "/dev/shm"} { // usually ext4 and tmpfs
		runAsNobody(t, parent, "-test.short", "-test.run=Open|Create|Rename|Remove|Places|Link|Local|Creator|Second|Overflow|Pending|Watch|Model")
	}
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// TestCallersNeedToBeLetThrough asks on behalf of accounts that may search some
// of the folders on the way.
func TestCallersNeedToBeLetThrough(t *testing.T) {
	if !disk.CanAct() {
		t.Skip("needs root to act for others")
	}
	eachWay(t, func(t *testing.T, way Coherence) {
		dir := t.TempDir()
		put(t, dir, "open/private/deep/File", "open/public/x")
		for path := dir; path != "/"; path = filepath.Dir(path) {
			if info, err := os.Stat(path); err != nil || info.Mode()&1 == 0 {
				os.Chmod(path, 0o755)
			}
		}
		os.Chmod(filepath.Join(dir, "open/private"), 0o750)
		os.Chown(filepath.Join(dir, "open/private"), 0, 1234)
		f := fixtureIn(t, dir, Options{Coherence: way})
		owner := &disk.Cred{UID: 7001, GID: 7001, Groups: []uint32{1234}}
		stranger := &disk.Cred{UID: 7002, GID: 7002}
		as := func(c *disk.Cred, path string) string {
			n, p, err := f.Open(bg, c, path, disk.How{Flags: disk.PathOnly}, false)
			return answer(p, n, err)
		}
		create := func(c *disk.Cred, path string) string {
			n, p, err := f.Create(bg, c, path, disk.How{Flags: disk.Write, Mode: 0o600}, false)
			return answer(p, n, err)
		}
		access := bracket(vfs.KindAccess)
		for range 2 {
			expect(t, "member", as(owner, "open/PRIVATE/deep/FILE"), "open/private/deep/File")
			expect(t, "member, nothing there", as(owner, "open/PRIVATE/deep/none"), bracket(vfs.KindNotExist))
			expect(t, "stranger", as(stranger, "open/private/deep/File"), access)
			expect(t, "stranger, nothing there", as(stranger, "open/private/deep/none"), access)
			expect(t, "stranger creates", create(stranger, "open/private/deep/y"), access)
			expect(t, "stranger creates what is there", create(stranger, "open/private/deep/FILE"), access)
			expect(t, "stranger elsewhere", as(stranger, "OPEN/public/X"), "open/public/x")
			expect(t, "stranger creates where only root may", create(stranger, "open/public/new"), access)
			expect(t, "stranger creates what is there", create(stranger, "open/public/X"), bracket(vfs.KindExist))
		}

		// A remembered permission goes with the next change of the folder's
		// attributes, by a local process or by us.
		local(t, "chmod "+f.path("open/private")+" 700")
		expect(t, "member, after a local chmod", as(owner, "open/private/deep/FILE"), access)
		local(t, "chmod "+f.path("open/private")+" 755")
		expect(t, "stranger, after a local chmod", as(stranger, "open/private/deep/FILE"), "open/private/deep/File")
		n, p, err := f.Open(bg, nil, "open/private", disk.How{Flags: disk.Read | disk.Directory}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		defer p.Release()
		if err := n.Chmod(nil, 0o700); err != nil {
			t.Fatal(err)
		}
		expect(t, "stranger, after our chmod", as(stranger, "open/private/deep/FILE"), access)

		// What an account makes is its own, and what is not its own it can't
		// take away.
		os.Chmod(f.path("open/public"), 0o777|os.ModeSticky)
		expect(t, "owner creates", create(owner, "open/public/Mine"), "open/public/Mine")
		info, err := os.Stat(f.path("open/public/Mine"))
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != owner.UID {
			t.Errorf("Mine belongs to %v, %v", info, err)
		}
		m, mp, err := f.Open(bg, stranger, "open/public/MINE", disk.How{Flags: disk.PathOnly}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		defer mp.Release()
		if err := f.Remove(bg, stranger, mp, m); !vfs.IsKind(err, vfs.KindAccess) {
			t.Errorf("a stranger removes a file from a sticky folder: %v", err)
		}
		if err := f.Rename(bg, stranger, mp, m, "open/public/theirs", false, false); !vfs.IsKind(err, vfs.KindAccess) {
			t.Errorf("a stranger renames a file in a sticky folder: %v", err)
		}
		if err := f.Rename(bg, owner, mp, m, "open/public/MINE", false, false); err != nil {
			t.Error(err)
		}
		if err := f.Remove(bg, owner, mp, m); err != nil {
			t.Error(err)
		}
	})
}

// TestUnreadableFolder serves, as an ordinary user, a folder that may be
// searched but not read: there only exact names can be found.
func TestUnreadableFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/File", "d/sub/x")
	f := fixtureIn(t, dir, Options{})
	os.Chmod(f.path("d"), 0o311)
	defer os.Chmod(f.path("d"), 0o755)
	if _, err := os.ReadDir(f.path("d")); err == nil {
		if os.Getuid() == 0 {
			runAsNobody(t, "", "-test.run=^"+t.Name()+"$")
			return
		}
		t.Skip("the folder can be read")
	}
	expect(t, "exact", f.open("D/File"), "d/File")
	expect(t, "another case", f.open("D/FILE"), bracket(vfs.KindNotExist))
	expect(t, "below", f.open("d/sub/X"), "d/sub/x")
	expect(t, "create", f.create("d/new"), "d/new")
	expect(t, "create what is there", f.create("d/File"), bracket(vfs.KindExist))
	expect(t, "rename", f.rename("d/new", "d/newer", false), "d/newer")
	expect(t, "remove", f.remove("d/newer"), "d/newer")
}

// runAsNobody runs tests as an ordinary user, in a folder of parent that is the
// user's. None of them may be skipped.
func runAsNobody(t *testing.T, parent string, flags ...string) {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "names")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	// The user must be able to run the test's program.
	program := filepath.Join(dir, "names.test")
	if err := copyFile(program, os.Args[0]); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, program} {
		os.Chmod(path, 0o755)
		os.Chown(path, nobody, nobody)
	}
	cmd := exec.Command(program, append([]string{"-test.v"}, flags...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "--- SKIP") {
		t.Errorf("in %s: %v\n%s", parent, err, progress.ReplaceAll(out, nil))
	}
}

// progress matches the lines of a test's output that tell of no failure.
var progress = regexp.MustCompile(`(?m)^( *--- PASS|=== ).*\n`)
