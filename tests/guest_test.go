package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// guestTime is how long the virtual machine may take, its boot included. It
// is emulated, so a busy machine makes it slow.
const guestTime = 8 * time.Minute

// TestKernelClient works with a share through the Linux kernel's own client,
// in a virtual machine with Debian's kernel.
func TestKernelClient(t *testing.T) {
	if testing.Short() {
		t.Skip("boots a virtual machine")
	}
	need(t, "qemu-system-x86_64", "busybox", "kmod", "cpio", "mount.cifs", "xz", "flock")
	s := serve(t)
	fsx, err := build("./peers/fsx")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	data, err := os.ReadFile(fsx)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "fsx"), data, 0o755); err != nil {
		t.Fatal(err)
	}

	args := []string{"-o", out, "-t", fmt.Sprintf("%.0f", guestTime.Seconds())}
	for name, value := range map[string]string{"PORT": fmt.Sprint(s.port), "SHARE": s.share, "LOGIN": s.user, "PASSWORD": s.password} {
		args = append(args, "-e", name+"="+value)
	}
	if ops := os.Getenv("FSX_OPS"); ops != "" {
		args = append(args, "-e", "FSX_OPS="+ops)
	}
	text, err := exec.CommandContext(t.Context(), "peers/guest-run", append(args, "peers/guest-cifs")...).CombinedOutput()
	t.Logf("%s", text)
	if err != nil || !strings.Contains(string(text), "guest-cifs: done") {
		console, _ := os.ReadFile(filepath.Join(out, "dmesg"))
		t.Errorf("guest: %v\n%s", err, console[max(0, len(console)-4000):])
	}
}
