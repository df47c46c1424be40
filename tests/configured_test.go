package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
	s.start(exec.Command(dozo(t), "serve", "--config", s.config(), "--state", s.state, "--smb", strconv.Itoa(s.port), "--user", s.user, "--no-discovery"),
		"dozo: ready")
	return s
}

// config is the server's configuration, beside its state.
func (s *server) config() string { return s.state + ".toml" }

func (s *server) configure(keys, shareKeys string) {
	s.t.Helper()
	text := fmt.Sprintf("%s\n[[share]]\nname = %q\npath = %q\n%s\n", keys, s.share, s.dir, shareKeys)
	if err := os.WriteFile(s.config(), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// reconfigure is configure for a server that runs.
func (s *server) reconfigure(keys, shareKeys string) {
	s.t.Helper()
	s.configure(keys, shareKeys)
	s.command("", "reload")
}
