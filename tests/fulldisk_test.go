package tests

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/cloudsoda/go-smb2"
)

// statusDiskFull is STATUS_DISK_FULL ([MS-ERREF] 2.3.1).
const statusDiskFull = 0xc000007f

// smallDisk is a folder on a file system of its own with room for a few
// megabytes.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	needRoot(t)
	dir := sharedDir(t)
	mountSmall(t, dir, options)
	return dir
}

// mountSmall mounts a small file system until the test ends.
func mountSmall(t *testing.T, dir, options string) {
	t.Helper()
	if err := syscall.Mount("dozo-test", dir, "tmpfs", 0, options); err != nil {
		missing(t, "can't mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
}

// unmount takes it away again.
func unmount(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Unmount(dir, 0); err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	s := serveFolder(t, smallDisk(t, "size=4m"))
	share := s.mount()
	f, err := share.Create("big")
	if err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte("0123456789abcdef"), 4096) // 64 KiB
	var written int64
	for range 100 {
		n, err := f.WriteAt(block, written)
		written += int64(n)
		if err != nil {
			var status *smb2.ResponseError
			if !errors.As(err, &status) || status.Code != statusDiskFull {
				t.Errorf("a write on the full disk = %v, want STATUS_DISK_FULL", err)
			}
			break
		}
	}
	if written == 100*int64(len(block)) {
		t.Fatal("the disk of 4 MB took 6 MB")
	}
	f.Close()
	onDisk, err := os.ReadFile(s.path("big"))
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(onDisk)) < written || !bytes.Equal(onDisk[:written], bytes.Repeat(block, 100)[:written]) {
		t.Errorf("%d bytes were acknowledged, the file has %d, or others", written, len(onDisk))
	}
	if int64(len(onDisk)) != written {
		t.Logf("%d bytes of the write that failed are in the file, too", int64(len(onDisk))-written)
	}

	// A full disk can still be cleared, and is of use again.
	if err := share.Remove("big"); err != nil {
		t.Fatalf("remove on the full disk: %v", err)
	}
	if err := share.WriteFile("small", block, 0o644); err != nil {
		t.Errorf("write after the disk was cleared: %v", err)
	}
}

func TestNoInodes(t *testing.T) {
	s := serveFolder(t, smallDisk(t, "size=4m,nr_inodes=10"))
	share := s.mount()
	var err error
	for i := 0; err == nil && i < 20; i++ {
		err = share.WriteFile(string(rune('a'+i)), nil, 0o644)
	}
	var status *smb2.ResponseError
	if !errors.As(err, &status) || status.Code != statusDiskFull {
		t.Errorf("a create without an inode = %v, want STATUS_DISK_FULL", err)
	}
}
