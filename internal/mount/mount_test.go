package mount_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/mount"
)

func TestLookTellsFoldersApart(t *testing.T) {
	dir := t.TempDir()
	first, err := mount.Look(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if first.FileSystem == "" {
		t.Error("the file system has no name")
	}
	if again, err := mount.Look(dir, first.FileSystem); err != nil || again != first {
		t.Errorf("second look = %+v, %v; first was %+v", again, err, first)
	}
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if other, err := mount.Look(dir, first.FileSystem); err != nil || other == first {
		t.Errorf("another folder of the same name looks the same: %+v, %v", other, err)
	}
	if _, err := mount.Look(filepath.Join(dir, "missing"), ""); err == nil {
		t.Error("a folder that is not there was found")
	}
}

func TestLookRefusesAnEmptyMountpoint(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount")
	}
	dir := t.TempDir()
	mountTmpfs := func() {
		t.Helper()
		if err := mountTmp("dozo-test", dir); err != nil {
			t.Skip("mounting is not allowed here: ", err)
		}
	}
	mountTmpfs()
	t.Cleanup(func() { unmount(dir) })
	there, err := mount.Look(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := unmount(dir); err != nil {
		t.Fatal(err)
	}
	_, err = mount.Look(dir, there.FileSystem)
	if absent, ok := errors.AsType[*mount.AbsentError](err); !ok || absent.Want != there.FileSystem {
		t.Errorf("Look at the mountpoint = %v", err)
	}
	if !strings.Contains(err.Error(), "not mounted") {
		t.Errorf("error = %q", err)
	}
	mountTmpfs()
	back, err := mount.Look(dir, there.FileSystem)
	if err != nil {
		t.Fatalf("Look at the file system that came back = %v", err)
	}
	if back == there {
		t.Error("a new tmpfs looks like the old one: opens of the old would go on")
	}
}

// TestAFolderThatIsGone: one that was on a file system before is absent with it;
// of another nobody knows what it would be.
func TestAFolderThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	_, err := mount.Look(dir, "a disk")
	if absent, ok := errors.AsType[*mount.AbsentError](err); !ok || absent.Want != "a disk" || !strings.Contains(err.Error(), "gone is not there, and was on a disk before") {
		t.Errorf("Look with a memory = %v", err)
	}
	_, err = mount.Look(dir, "")
	if _, ok := errors.AsType[*mount.AbsentError](err); ok || err == nil {
		t.Errorf("Look without one = %v", err)
	}
}
