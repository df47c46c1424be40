package tests

import (
	"strings"
	"testing"
)

// TestConnectionsAreForgotten: whoever connects and leaves, in whatever state,
// leaves nothing behind (CVE-2026-23228).
func TestConnectionsAreForgotten(t *testing.T) {
	ownProgram(t)
	// A connection that left 16 bytes, the least that Go gives, would leave 144,000.
	const first, all, noise = 1000, 10_000, 128 << 10
	s := serve(t)
	s.crowd()
	var before held
	for n := range all {
		if n == first {
			before = s.atRest(held{})
		}
		if err := s.breakOff(n); err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
	}
	after := s.atRest(before)
	t.Logf("at rest after %d connections: %v; after %d: %v", first, before, all, after)
	after.mustEqual(t, before, noise)
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
