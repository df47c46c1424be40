package names

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

func TestMountOverAFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	dir := t.TempDir()
	put(t, dir, "d/below", "other/x")
	f := fixtureIn(t, dir, Options{})
	expect(t, "before", f.open("D/BELOW"), "d/below")
	if err := unix.Mount("none", f.path("d"), "tmpfs", 0, ""); err != nil {
		t.Skip("can't mount here: ", err)
	}
	defer unix.Unmount(f.path("d"), unix.MNT_DETACH)
	local(t, "put "+f.path("d/Above"))
	expect(t, "below the mount", f.open("D/BELOW"), bracket(vfs.KindNotExist))
	expect(t, "in the mount", f.open("D/ABOVE"), "d/Above")
	expect(t, "create in the mount", f.create("D/new"), "d/new")
	expect(t, "beside", f.open("OTHER/X"), "other/x")
	local(t, "put "+f.path("d/Later"))
	expect(t, "made locally in the mount", f.open("d/LATER"), "d/Later")
	f.waitFor("it can be unmounted", func() bool { return unix.Unmount(f.path("d"), 0) == nil })
	expect(t, "after the unmount", f.open("D/BELOW"), "d/below")
}

// TestMountIsSeenAtOnce mounts over a folder that is known and creates there as
// soon as the call has returned: nothing may go beneath the mount, nor to a disk
// that was taken away.
func TestMountIsSeenAtOnce(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	dir := t.TempDir()
	put(t, dir, "d/")
	f := fixtureIn(t, dir, Options{})
	for i := range 50 {
		beneath, above := fmt.Sprintf("beneath%d", i), fmt.Sprintf("above%d", i)
		expect(t, "create", f.create("d/"+beneath), "d/"+beneath)
		if err := unix.Mount("none", f.path("d"), "tmpfs", 0, "size=64k"); err != nil {
			t.Skip("can't mount here: ", err)
		}
		var others sync.WaitGroup
		for range 3 {
			others.Go(func() { f.open("d/none") })
		}
		expect(t, "create in the mount", f.create("d/"+above), "d/"+above)
		expect(t, "beneath it", f.open("d/"+beneath), bracket(vfs.KindNotExist))
		others.Wait()
		if _, err := os.Stat(f.path("d/" + above)); err != nil {
			t.Errorf("what was created is not in the mount: %v", err)
		}
		if err := unix.Unmount(f.path("d"), unix.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
		expect(t, "in the mount that is gone", f.open("d/"+above), bracket(vfs.KindNotExist))
		expect(t, "beneath it", f.open("D/"+strings.ToUpper(beneath)), "d/"+beneath)
	}
}

// TestUnmountedAndMountedAgain takes away a disk below the share, which takes
// the marks on it along without a word, changes it elsewhere and brings it back.
func TestUnmountedAndMountedAgain(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	dir := t.TempDir()
	put(t, dir, "image", "share/disk/", "elsewhere/")
	run := func(name string, args ...string) error {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, out)
		}
		return nil
	}
	image, at, elsewhere := dir+"/image", dir+"/share/disk", dir+"/elsewhere"
	err := os.Truncate(image, 8<<20)
	if err == nil {
		err = run("mkfs.ext4", "-q", image)
	}
	if err == nil {
		err = run("mount", "-o", "loop", image, at)
	}
	if err != nil {
		t.Skip("can't mount here: ", err)
	}
	defer unix.Unmount(at, unix.MNT_DETACH)
	put(t, at, "d/Stays", "d/Goes", "e/x")

	f := fixtureIn(t, dir+"/share", Options{})
	expect(t, "before", f.open("DISK/D/GOES"), "disk/d/Goes")
	expect(t, "before", f.open("DISK/E/X"), "disk/e/x")
	f.waitFor("it can be unmounted", func() bool { return unix.Unmount(at, 0) == nil })
	if err := run("mount", "-o", "loop", image, elsewhere); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(elsewhere, unix.MNT_DETACH)
	local(t, "rm "+elsewhere+"/d/Goes", "put "+elsewhere+"/d/Comes", "mv "+elsewhere+"/e "+elsewhere+"/E2")
	if err := unix.Unmount(elsewhere, 0); err != nil {
		t.Fatal(err)
	}
	if err := run("mount", "-o", "loop", image, at); err != nil {
		t.Fatal(err)
	}
	expect(t, "on the disk", f.open("DISK/D/STAYS"), "disk/d/Stays")
	expect(t, "removed elsewhere", f.open("disk/d/GOES"), bracket(vfs.KindNotExist))
	expect(t, "made elsewhere", f.open("disk/d/COMES"), "disk/d/Comes")
	expect(t, "a folder renamed elsewhere", f.open("disk/e2/X"), "disk/E2/x")
	expect(t, "its old name", f.open("disk/e/X"), bracket(vfs.KindPathNotExist))
	local(t, "put "+at+"/d/Later")
	expect(t, "made now", f.open("disk/d/LATER"), "disk/d/Later")
	expect(t, "create", f.create("disk/d/later"), bracket(vfs.KindExist))
	f.waitFor("it can be unmounted", func() bool { return unix.Unmount(at, 0) == nil })
}
