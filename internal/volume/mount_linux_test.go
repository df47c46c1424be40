package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/vfstest"
)

// mounted mounts a small file system of its own and returns where.
func mounted(t *testing.T, options string) string {
	t.Helper()
	asRoot(t)
	dir := tempFolder(t)
	if err := unix.Mount("dozo-test", dir, "tmpfs", 0, options); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

func TestFullDisk(t *testing.T) {
	const room = 8 << 20
	vfstest.NoSpace(t, open(t, mounted(t, "size=8m,mode=755"), Options{}), room)
}

func TestReadOnlyDisk(t *testing.T) {
	dir := mounted(t, "size=1m,mode=755")
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir, Options{})
	vfstest.ReadOnly(t, v, "f")
	for _, readOnly := range []bool{false, true} { // as it is remounted while it is served
		flags := uintptr(unix.MS_REMOUNT)
		if readOnly {
			flags |= unix.MS_RDONLY
		}
		if err := unix.Mount("", dir, "", flags, ""); err != nil {
			t.Fatal(err)
		}
		f, err := v.Open(ctx, nil, "f", vfs.OpenOptions{Access: vfs.ReadAttr})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if got := v.Features().ReadOnly; got != readOnly {
			t.Errorf("read-only %v is seen as %v", readOnly, got)
		}
	}
}

// TestMountsBelow serves a folder in which another file system is mounted.
func TestMountsBelow(t *testing.T) {
	asRoot(t)
	dir := tempFolder(t)
	below := filepath.Join(dir, "mnt")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("dozo-test", below, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip(err)
	}
	defer unix.Unmount(below, unix.MNT_DETACH)
	v := open(t, dir, Options{})
	testMountBelow(t, v)

	// Another file system in the same place, very likely with the same device
	// number, has another identity.
	f, err := v.Open(ctx, nil, "mnt", vfs.OpenOptions{Access: vfs.ReadAttr})
	if err != nil {
		t.Fatal(err)
	}
	key, id := f.Key(), attrOf(t, f).ID
	f.Close()
	if err := unix.Unmount(below, unix.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("dozo-test", below, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	f, err = v.Open(ctx, nil, "mnt", vfs.OpenOptions{Access: vfs.ReadAttr})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f.Key() == key || idAt(t, v, "mnt") == id {
		t.Fatalf("the new file system has the old one's key %v or id %d", key, id)
	}
}

func testMountBelow(t *testing.T, v *Volume) {
	makeFile(t, v, nil, "f", nil)
	makeFile(t, v, nil, "mnt/f", []byte("data"))
	for i := range 20 {
		makeFile(t, v, nil, fmt.Sprintf("mnt/%d", i), nil)
	}
	ids := map[uint64]string{}
	for _, folder := range []string{"", "mnt"} {
		for name, e := range list(t, v, folder) {
			path := filepath.Join(folder, name)
			if other, ok := ids[e.Attr.ID]; ok {
				t.Errorf("%s and %s have one id", path, other)
			}
			ids[e.Attr.ID] = path
			if got := idAt(t, v, path); got != e.Attr.ID {
				t.Errorf("%s is listed with id %d, has %d", path, e.Attr.ID, got)
			}
		}
	}
	f, err := v.Open(ctx, nil, "mnt/f", vfs.OpenOptions{Access: vfs.Delete})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := v.Rename(ctx, nil, f, "g", false); !vfs.IsKind(err, vfs.KindCrossDevice) {
		t.Errorf("rename out of a mount: %v", err)
	}
	s, err := v.Space(ctx, nil, f)
	if err != nil || s.Total > 1<<20 {
		t.Errorf("space seen from a mount: %+v, %v", s, err)
	}
}
