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

// TestNamesInGuest holds names and ids against the model under Debian's kernel,
// whose times are coarser than this one's may be, on the usual file systems.
func TestNamesInGuest(t *testing.T) {
	ownProgram(t)
	if testing.Short() {
		t.Skip("boots a virtual machine")
	}
	need(t, "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "btrfs", "setpriv")
	env := map[string]string{"BY_ROOT": "ordered 70 reuse 20", "BY_USER": "ordered 40 rounds 1"}
	if os.Getenv("DOZO_FULL") != "" {
		all := "ordered 3000 rounds 15 rivals 300 reuse 300"
		env = map[string]string{"BY_ROOT": all, "BY_USER": all}
	}
	runInGuest(t, "guest-names", env, []string{dozo(t), nameModel(t)},
		"-p", "mkfs.xfs", "-p", "mkfs.btrfs", "-p", "btrfs", "-p", "setpriv", "-M", "xfs", "-M", "btrfs")
}
