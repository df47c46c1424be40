package tests

import (
	"strconv"
	"strings"
	"testing"
)

// TestBrowseable: a share that is not in lists is there for who knows its name.
func TestBrowseable(t *testing.T) {
	const keys = "bind = [\"127.0.0.1\"]\n"
	s := configured(t, keys, "browseable = false")
	listed := func() bool {
		t.Helper()
		out, err := run(t, "smbclient", "-L", "127.0.0.1", "-p", strconv.Itoa(s.port), "-s", emptyConf(t), "-U", s.user+"%"+s.password, "-g")
		if err != nil || !strings.Contains(out, "IPC|IPC$|") {
			t.Fatalf("smbclient -L: %v\n%s", err, out)
		}
		return strings.Contains(out, "Disk|share|")
	}
	s.ok("mkdir d; rmdir d")
	if listed() {
		t.Error("a share that is not browseable is listed")
	}
	s.reconfigure(keys, "")
	if !listed() {
		t.Error("a share that is browseable again is not listed")
	}
}
