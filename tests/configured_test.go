package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// configured starts a server by a configuration: further keys of the server, and
// of the share "share", which others may follow.
func configured(t *testing.T, keys, shareKeys string) *server {
	t.Helper()
	ownProgram(t)
	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"),
		user: "tester", password: "Secret77"}
	os.Chmod(s.dir, 0o777)
	s.configure(keys, shareKeys)
	cmd := exec.Command(dozo(t), "serve", "--config", s.config(), "--state", s.state, "--smb", strconv.Itoa(s.port), "--user", s.user, "--no-discovery")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal, with which SIGHUP ends it
	s.start(cmd, "dozo: ready")
	return s
}

// config is the server's configuration, beside its state.
func (s *server) config() string { return s.state + ".toml" }

// configure writes the configuration, in one step: the server may be reading it.
func (s *server) configure(keys, shareKeys string) {
	s.t.Helper()
	text := fmt.Sprintf("%s\n[[share]]\nname = %q\npath = %q\n%s\n", keys, s.share, s.dir, shareKeys)
	err := os.WriteFile(s.config()+".new", []byte(text), 0o600)
	if err == nil {
		err = os.Rename(s.config()+".new", s.config())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// reconfigure is configure for a server that runs.
func (s *server) reconfigure(keys, shareKeys string) {
	s.t.Helper()
	s.configure(keys, shareKeys)
	s.command("", "reload")
}
