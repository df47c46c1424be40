package tests

import "testing"

// TestDisksThatFold serves folders of disks that fold names by themselves, in a
// virtual machine whose kernel has them. ZFS has to be built for that: see
// ./zfs.
func TestDisksThatFold(t *testing.T) {
	ownProgram(t)
	if testing.Short() {
		t.Skip("boots a virtual machine")
	}
	need(t, "mkfs.ext4", "chattr", "mkfs.f2fs", "mkfs.xfs")
	check, err := build("./peers/foldcheck")
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"DISKS": "ext4 f2fs xfs", "STEPS": full(40, 3000)}
	runInGuest(t, "guest-folds", env, []string{dozo(t), check},
		"-p", "mkfs.f2fs", "-p", "mkfs.xfs", "-M", "f2fs", "-M", "xfs")
}
