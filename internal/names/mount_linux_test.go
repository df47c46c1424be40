package names

import (
	"os"
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
	f.waitFor("the mount is seen", func() bool { return f.open("D/BELOW") == "["+vfs.KindNotExist.String()+"]" })
	expect(t, "in the mount", f.open("D/ABOVE"), "d/Above")
	expect(t, "create in the mount", f.create("D/new"), "d/new")
	expect(t, "beside", f.open("OTHER/X"), "other/x")
	local(t, "put "+f.path("d/Later"))
	expect(t, "made locally in the mount", f.open("d/LATER"), "d/Later")
	f.waitFor("it can be unmounted", func() bool { return unix.Unmount(f.path("d"), 0) == nil })
	f.waitFor("the unmount is seen", func() bool { return f.open("D/BELOW") == "d/below" })
}
