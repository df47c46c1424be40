package tests

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRecycle: what Samba's client deletes is in the bin, where its user finds it
// and others can't look; and it can be put back.
func TestRecycle(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	s := configured(t, "bind = [\"127.0.0.1\"]\n", "recycle = \".recycle\"")
	for user, account := range map[string]int{"daemon": 1, "bin": 2} {
		s.command("Secret77", "user", "add", user)
		os.Mkdir(s.path(user), 0o700)
		os.Chown(s.path(user), account, account)
		s.write(user+"/draft.txt", "of "+user)
		os.Chown(s.path(user+"/draft.txt"), account, account)
	}
	as := func(user, commands string) string {
		t.Helper()
		out, _ := s.smbclient(commands, "-U", user+"%Secret77")
		return out
	}
	for _, user := range []string{"daemon", "bin"} {
		if out := as(user, `del `+user+`\draft.txt`); strings.Contains(out, "NT_STATUS_") {
			t.Errorf("%s deletes:\n%s", user, out)
		}
	}
	if got := s.names("daemon") + "|" + s.names(".recycle") + "|" + s.read(".recycle/daemon/daemon/draft.txt"); got != "|bin daemon|of daemon" {
		t.Errorf("on the disk are %s", got)
	}
	for path, want := range map[string]struct {
		mode  os.FileMode
		owner uint32
	}{".recycle": {os.ModeDir | 0o755, 0}, ".recycle/daemon": {os.ModeDir | 0o700, 1}, ".recycle/daemon/daemon": {os.ModeDir | 0o700, 1}} {
		info, err := os.Stat(s.path(path))
		if err != nil || info.Mode() != want.mode || info.Sys().(*syscall.Stat_t).Uid != want.owner {
			t.Errorf("%s: %v, %v; want %v of %d", path, info.Mode(), err, want.mode, want.owner)
		}
	}
	if out := as("bin", `ls .recycle\daemon\*`); !strings.Contains(out, "NT_STATUS_ACCESS_DENIED") {
		t.Errorf("bin looks at what daemon deleted:\n%s", out)
	}
	// A second one by that name, back again, and deleted for good.
	local := filepath.Join(t.TempDir(), "local")
	os.WriteFile(local, []byte("second"), 0o600)
	if out := as("daemon", `put `+local+` daemon\draft.txt; del daemon\draft.txt; rename .recycle\daemon\daemon\draft.txt daemon\back.txt; del .recycle\daemon\daemon\draft*`); strings.Contains(out, "NT_STATUS_") {
		t.Errorf("daemon's second:\n%s", out)
	}
	if got := s.names("daemon") + "|" + s.names(".recycle/daemon/daemon") + "|" + s.read("daemon/back.txt"); got != "back.txt||of daemon" {
		t.Errorf("on the disk are %s", got)
	}
}
