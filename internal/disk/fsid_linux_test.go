package disk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUUIDByKind compares what a file system says of itself in the old way with
// what it says in the new one, or with what it was made with. Kinds that this
// kernel doesn't know are tried in the guest.
func TestUUIDByKind(t *testing.T) {
	known, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		t.Fatal(err)
	}
	const made = "6a4b0c1d-2e3f-4a5b-8c6d-7e8f90a1b2c3"
	for kind, mkfs := range map[string][]string{
		"ext4":  {"mkfs.ext4", "-q", "-U", made},
		"xfs":   {"mkfs.xfs", "-q", "-m", "uuid=" + made},
		"btrfs": {"mkfs.btrfs", "-q", "-U", made},
	} {
		if !strings.Contains(string(known), "\t"+kind+"\n") {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			fd := openOn(t, kind, mkfs)
			var s unix.Statfs_t
			if err := unix.Fstatfs(fd, &s); err != nil {
				t.Fatal(err)
			}
			if fs, err := fileSystem(fd); err != nil || fs.Kind != kind {
				t.Errorf("the kind is %q, %v", fs.Kind, err)
			}
			uuid, ok := uuidByKind(fd, uint32(s.Type))
			if !ok || uuidString(uuid) != made {
				t.Errorf("the old way: %s, %v", uuidString(uuid), ok)
			}
			if uuid, ok := uuidOf(fd); ok && uuidString(uuid) != made {
				t.Errorf("the new way: %s", uuidString(uuid))
			}
		})
	}
}

// openOn makes and mounts a file system and opens its root.
func openOn(t *testing.T, kind string, mkfs []string) (fd int) {
	t.Helper()
	dir := t.TempDir()
	image, at := filepath.Join(dir, "image"), filepath.Join(dir, "mounted")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 400<<20); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{append(mkfs, image), {"mount", "-o", "loop", "-t", kind, image, at}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("no %s: %v: %v\n%s", kind, command, err, out)
		}
	}
	t.Cleanup(func() { exec.Command("umount", at).Run() })
	fd, err := unix.Open(at, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}
