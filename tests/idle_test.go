package tests

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// negotiate asks for SMB 2.1 and no more ([MS-SMB2] 2.2.3).
var negotiate = hexdump.Must(`
	00 000066                                  # a frame of 102 bytes
	fe534d42 4000 0000 00000000 0000 0100      # SMB2, header size, charge, status, NEGOTIATE, credits
	00000000 00000000 0000000000000000         # flags, next, message id
	00000000 00000000 0000000000000000         # process, tree, session
	00000000000000000000000000000000           # signature
	2400 0100 0100 0000 00000000               # size, one dialect, signing enabled, capabilities
	00000000000000000000000000000000           # client's GUID
	0000000000000000 1002                      # start time, 2.1
`)

// readFrame reads a frame off the wire.
func readFrame(c net.Conn) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, int(head[1])<<16|int(head[2])<<8|int(head[3]))
	_, err := io.ReadFull(c, frame)
	return frame, err
}

// resident is the memory of the server's process, in bytes.
func (s *server) resident() int {
	s.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		missing(s.t, "no /proc: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	s.t.Fatal("no VmRSS in /proc")
	return 0
}

// TestIdleServerIsSmall holds the promise of docs/benchmarks.md.
func TestIdleServerIsSmall(t *testing.T) {
	const limit = 40 << 20
	s := serve(t)
	s.mount().ReadDir("")
	if got := s.resident(); got > limit {
		t.Errorf("an idle server takes %d MB, more than %d", got>>20, limit>>20)
	} else {
		t.Logf("an idle server takes %d MB", got>>20)
	}
}

// TestIdleSocketsStopNobody: thousands that connect and say nothing, or stop
// after their first message, cost little and keep nobody from logging in.
func TestIdleSocketsStopNobody(t *testing.T) {
	const sockets, limit = 5000, 100 << 20
	s := serve(t)
	before := s.resident()
	for i := range sockets {
		c, err := net.Dial("tcp", s.addr())
		if err != nil {
			t.Fatalf("socket %d: %v", i, err)
		}
		defer c.Close()
		if i%2 == 0 {
			continue
		}
		if _, err := c.Write(negotiate); err != nil {
			t.Fatalf("socket %d: %v", i, err)
		}
		if _, err := readFrame(c); err != nil {
			t.Fatalf("socket %d: the answer to NEGOTIATE: %v", i, err)
		}
	}
	began := time.Now()
	share := s.mount()
	if err := share.WriteFile("file", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	took, grown := time.Since(began), s.resident()-before
	t.Logf("%d sockets take %d MB; a login and a file take %v beside them", sockets, grown>>20, took)
	if grown > limit {
		t.Errorf("%d sockets take %d MB, more than %d", sockets, grown>>20, limit>>20)
	}
	if took > 2*time.Second {
		t.Errorf("a login beside %d sockets takes %v", sockets, took)
	}
}
