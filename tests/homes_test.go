package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestHomes: a line of the configuration gives each user a share of their own.
// Samba's client lists it to them alone, and as root their account owns what they
// put there.
func TestHomes(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	top := sharedDir(t)
	s := &server{t: t, port: freePort(t), share: "daemon", dir: filepath.Join(top, "daemon"), state: filepath.Join(t.TempDir(), "state"),
		user: "daemon", password: "Secret77"}
	for name, account := range map[string]int{"daemon": 1, "bin": 2} {
		os.Mkdir(filepath.Join(top, name), 0o700)
		os.Chown(filepath.Join(top, name), account, account)
	}
	if err := os.WriteFile(s.config(), []byte("[[share]]\npath = \""+top+"/{user}\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.start(exec.Command(dozo(t), "serve", "--config", s.config(), "--state", s.state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user), "dozo: ready")
	if said := s.log.String(); !strings.Contains(said, "//127.0.0.1/daemon") || !strings.Contains(said, "/{user} as {user}.") {
		t.Errorf("the greeting is\n%s", said)
	}
	for _, user := range []string{"bin", "games"} {
		s.command("Secret77", "user", "add", user)
	}
	local := filepath.Join(t.TempDir(), "local")
	os.WriteFile(local, []byte("mine"), 0o600)
	s.ok("put " + local + " mine")
	info, err := os.Stat(s.path("mine"))
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 1 {
		t.Errorf("what daemon put is %v, %v", info, err)
	}
	for user, lists := range map[string]bool{"daemon": true, "bin": true, "games": false} {
		out, err := run(t, "smbclient", "-L", "127.0.0.1", "-p", strconv.Itoa(s.port), "-s", emptyConf(t), "-U", user+"%Secret77", "-g")
		if err != nil {
			t.Errorf("%s lists: %v\n%s", user, err, out)
		}
		for _, name := range []string{"daemon", "bin", "games", "{user}"} {
			if strings.Contains(out, "Disk|"+name+"|") != (lists && name == user) {
				t.Errorf("%s sees the share %s, or does not:\n%s", user, name, out)
			}
		}
		if user == "daemon" {
			continue
		}
		if out, _ := s.smbclient("ls", "-U", user+"%Secret77"); !strings.Contains(out, "NT_STATUS_BAD_NETWORK_NAME") {
			t.Errorf("%s in the home of another:\n%s", user, out)
		}
	}
	if said := s.log.String(); strings.Count(said, "there is no folder "+top+"/games; make it") != 1 {
		t.Errorf("the log tells not once of the folder that is missing:\n%s", said)
	}
	// The folder is on the file system that it was on before.
	s.stop()
	s.again()
	s.ok("get mine " + os.DevNull)
	if out, err := run(t, s.cmd.Path, "config", "check", s.config()); err != nil {
		t.Errorf("config check: %v\n%s", err, out)
	}
}
