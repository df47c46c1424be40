package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// guestTime is how long the virtual machine may take, its boot included, in
// seconds. It is emulated, so a busy machine makes it slow.
func guestTime() string { return full(8*60, 2*60*60) }

// TestKernelClient works with a share through the Linux kernel's own client,
// in a virtual machine with Debian's kernel.
func TestKernelClient(t *testing.T) {
	if testing.Short() {
		t.Skip("boots a virtual machine")
	}
	need(t, "mount.cifs")
	s := serve(t)
	fsx, err := build("./peers/fsx")
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"PORT": fmt.Sprint(s.port), "SHARE": s.share, "LOGIN": s.user, "PASSWORD": s.password}
	if ops := os.Getenv("FSX_OPS"); ops != "" {
		env["FSX_OPS"] = ops
	}
	runInGuest(t, "guest-cifs", env, []string{fsx})
}

// runInGuest runs a script of tests/peers in a virtual machine, with variables
// and programs that it finds in $OUT. It must say at its end that it is done.
func runInGuest(t *testing.T, script string, env map[string]string, programs []string, options ...string) {
	t.Helper()
	need(t, "qemu-system-x86_64", "busybox", "kmod", "cpio", "xz", "flock")
	out := t.TempDir()
	for _, program := range programs {
		data, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, filepath.Base(program)), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"-o", out, "-t", guestTime()}, options...)
	for name, value := range env {
		args = append(args, "-e", name+"="+value)
	}
	text, err := exec.CommandContext(t.Context(), "peers/guest-run", append(args, "peers/"+script)...).CombinedOutput()
	t.Logf("%s", text)
	if err != nil || !strings.Contains(string(text), script+": done") {
		console, _ := os.ReadFile(filepath.Join(out, "dmesg"))
		t.Errorf("guest: %v\n%s", err, console[max(0, len(console)-4000):])
	}
}

// TestDisksInGuest serves file systems of all kinds in a virtual machine. Of
// disks that fold names by themselves, those that its kernel has are checked (ZFS
// has to be built for that: see ./zfs); names and ids are held against the model
// on the usual ones, under a kernel whose times are coarser than this one's may
// be.
func TestDisksInGuest(t *testing.T) {
	ownProgram(t)
	if testing.Short() {
		t.Skip("boots a virtual machine")
	}
	need(t, "mkfs.ext4", "chattr", "mkfs.f2fs", "mkfs.xfs", "mkfs.btrfs", "btrfs", "setpriv")
	check, err := build("./peers/foldcheck")
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"DISKS": "ext4 f2fs xfs", "STEPS": full(40, 3000),
		"BY_ROOT": "ordered 70 reuse 20", "BY_USER": "ordered 40 rounds 1",
	}
	if os.Getenv("DOZO_FULL") != "" {
		all := "ordered 3000 rounds 15 rivals 300 reuse 300"
		env["BY_ROOT"], env["BY_USER"] = all, all
	}
	runInGuest(t, "guest-disks", env, []string{dozo(t), check, nameModel(t), "peers/guest-folds", "peers/guest-names"},
		"-p", "mkfs.f2fs", "-p", "mkfs.xfs", "-p", "mkfs.btrfs", "-p", "btrfs", "-p", "setpriv",
		"-M", "f2fs", "-M", "xfs", "-M", "btrfs")
}
