package tests

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// descriptors counts the open files and sockets of the server's process.
func (s *server) descriptors() int {
	s.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		missing(s.t, "no /proc: %v", err)
	}
	return len(entries)
}

// TestConnectionsAreForgotten: whoever connects and leaves, in whatever state,
// leaves nothing behind (CVE-2026-23228).
func TestConnectionsAreForgotten(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	s.mount()
	before, memory := s.descriptors(), s.resident()
	for i := range 10_000 {
		c, err := net.Dial("tcp", s.addr())
		if err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 0:
			c.Write(negotiate)
			readFrame(c)
		case 1:
			c.Write(negotiate[:50])
		}
		c.Close()
	}
	for range 10 { // after more of them this address would have to wait
		if _, err := s.login(s.user, "wrong", s.share); err == nil {
			t.Fatal("a wrong password was taken")
		}
	}
	after := 0
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if after = s.descriptors(); after <= before {
			break
		}
	}
	if after > before {
		t.Errorf("%d descriptors were open, %d are now", before, after)
	}
	if grown := s.resident() - memory; grown > 40<<20 {
		t.Errorf("the server grew by %d MB", grown>>20)
	}
	s.mount() // and it still accepts
}

// TestDeepAndLongPaths: paths as long as a message can name are served or
// refused, and what was made can be taken away again.
func TestDeepAndLongPaths(t *testing.T) {
	s := serve(t)
	share := s.mount()
	const most = 163 // with 200 letters each 32,762 units of UTF-16, all that CREATE has room for
	path, depth := "", 0
	for ; depth < most; depth++ {
		next := path + strings.Repeat(string(rune('a'+depth%26)), 200)
		if err := share.Mkdir(next, 0o755); err != nil {
			break
		}
		path = next + `\`
	}
	if depth < most { // the system takes 4096 bytes of path in one call
		t.Errorf("only %d folders of 200 letters fit into each other", depth)
	}
	if _, err := share.Stat(strings.Repeat(`a\`, 10_000) + "a"); err == nil {
		t.Error("a path of 10,000 missing folders leads somewhere")
	}
	if err := share.Mkdir(strings.Repeat("x", 256), 0o755); err == nil {
		t.Error("a name of 256 letters was taken")
	}
	if err := share.Mkdir(strings.Repeat("x", 255), 0o755); err != nil {
		t.Error("a name of 255 letters was not taken")
	}
	for ; depth > 0; depth-- {
		path = strings.TrimSuffix(path, `\`)
		if err := share.Remove(path); err != nil {
			t.Fatalf("the folder at depth %d was not removed", depth)
		}
		path = path[:strings.LastIndex(path, `\`)+1]
	}
}
