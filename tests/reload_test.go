package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestReloadWhileSmbclientWorks: Samba's client copies files there and back
// while the configuration changes and is read again and again. It must not
// notice; what came back is what was sent.
func TestReloadWhileSmbclientWorks(t *testing.T) {
	ownProgram(t)
	need(t, "smbclient")
	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"),
		user: "tester", password: "Secret77"}
	file := filepath.Join(t.TempDir(), "dozo.toml")
	share := fmt.Sprintf("[[share]]\nname = \"share\"\npath = %q\n", s.dir)
	turns := []string{
		share,
		share + "comment = \"now\"\ncreate-mask = \"0600\"\nusers = [\"TESTER\", \"other\"]\n" +
			fmt.Sprintf("[[share]]\nname = \"visitor\"\npath = %q\nguest = \"read\"\n", sharedDir(t)),
	}
	configure := func(turn int) {
		if err := os.WriteFile(file, []byte(turns[turn%len(turns)]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure(0)
	s.start(exec.Command(dozo(t), "serve", "--config", file, "--state", s.state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user), "dozo: ready")

	sent := filepath.Join(t.TempDir(), "sent")
	data := bytes.Repeat([]byte("0123456789abcde\n"), 2<<20) // 32 MB
	if err := os.WriteFile(sent, data, 0o600); err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		said string
		err  error
	}
	done := make(chan outcome, 1)
	const copies = 3
	var commands string
	for i := range copies {
		commands += fmt.Sprintf("put %s copy%d; get copy%d %s.back%d; ", sent, i, i, sent, i)
	}
	go func() {
		said, err := s.smbclient(commands)
		done <- outcome{said, err}
	}()
	reloads := 0
	for working := true; working; {
		select {
		case o := <-done:
			working = false
			if o.err != nil || bytes.Contains([]byte(o.said), []byte("NT_STATUS_")) {
				t.Errorf("smbclient: %v\n%s", o.err, o.said)
			}
		default:
			reloads++
			configure(reloads)
			began := time.Now()
			s.command("", "reload")
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("reload %d took %v", reloads, took)
			}
		}
	}
	for i := range copies {
		back, err := os.ReadFile(fmt.Sprintf("%s.back%d", sent, i))
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("copy %d came back with %d bytes of %d: %v", i, len(back), len(data), err)
		}
	}
	t.Logf("%d reloads", reloads)
	if reloads < 3 {
		t.Errorf("there were %d reloads only", reloads)
	}
}
