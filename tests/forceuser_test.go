package tests

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestForceUser: one account acts for all who use a share.
func TestForceUser(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	const keys = "bind = [\"127.0.0.1\"]\nguest = \"write\"\n"
	const bin, daemon = 2, 1
	s := configured(t, keys, "force-user = \"bin\"")
	s.command("Secret77", "user", "add", "daemon")
	s.write("closed", "for bin")
	os.Chown(s.path("closed"), bin, bin)
	os.Chmod(s.path("closed"), 0o600)
	ownerOf := func(name string) uint32 {
		t.Helper()
		info, err := os.Stat(s.path(name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Uid
	}
	for _, user := range []string{"daemon%Secret77", "%"} {
		if out, err := s.smbclient("mkdir d; get closed "+os.DevNull, "-U", user); err != nil || strings.Contains(out, "NT_STATUS_") {
			t.Errorf("as %s: %v\n%s", user, err, out)
		} else if ownerOf("d") != bin {
			t.Errorf("what %s makes belongs to %d", user, ownerOf("d"))
		}
		os.Remove(s.path("d"))
	}
	// Without it, also for a client that is there all the time, each acts as itself.
	c, err := s.login("daemon", "Secret77", s.share)
	if err != nil {
		t.Fatal(err)
	}
	s.reconfigure(keys, "")
	if err := c.Mkdir("e", 0o755); err != nil || ownerOf("e") != daemon {
		t.Errorf("without force-user: %v, and what daemon makes belongs to %d", err, ownerOf("e"))
	}
	if _, err := c.ReadFile("closed"); err == nil {
		t.Error("without force-user daemon reads what is closed to it")
	}

	s.configure(keys, "force-user = \"no-such-account\"")
	out, err := run(t, s.cmd.Path, "config", "check", s.config())
	if err == nil || !strings.Contains(out, "there is no account no-such-account on this machine") {
		t.Errorf("an account that there is not: %v\n%s", err, out)
	}
}

// TestMaxSize: the volume seems to be no larger, and takes what it takes.
func TestMaxSize(t *testing.T) {
	const keys = "bind = [\"127.0.0.1\"]\n"
	s := configured(t, keys, "max-size = \"10M\"")
	fields := strings.Fields(s.ok("du")) // "N blocks of size M. K blocks available"
	i := 0
	for i < len(fields) && fields[i] != "blocks" {
		i++
	}
	if i == 0 || i+6 >= len(fields) {
		t.Fatalf("du printed %q", fields)
	}
	number := func(word string) int {
		n, err := strconv.Atoi(strings.TrimSuffix(word, "."))
		if err != nil {
			t.Fatalf("du printed %q", fields)
		}
		return n
	}
	total, unit, free := number(fields[i-1]), number(fields[i+3]), number(fields[i+4])
	if total*unit != 10<<20 || free > total {
		t.Errorf("%d blocks of %d, %d free; want 10 MiB", total, unit, free)
	}
}
