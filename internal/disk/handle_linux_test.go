package disk

import (
	"bytes"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// TestMadeHandles is for file systems that have no handles of use.
func TestMadeHandles(t *testing.T) {
	r, dir := openRoot(t)
	r.mount.handleFlags.Store(noHandles)
	shell(t, dir, "mkdir d; touch f g; ln f h")
	handles := map[string]Handle{}
	for _, name := range []string{"d", "f", "g", "h"} {
		n, err := r.Open(nil, name, How{Flags: PathOnly})
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		at, err := r.HandleAt(name)
		if err != nil {
			t.Fatal(err)
		}
		if self, err := n.Handle(); err != nil || self != at {
			t.Errorf("%s: Handle = %v, %v; HandleAt = %v", name, self, err, at)
		}
		if at.Type != handleMade || at.IsZero() {
			t.Errorf("%s has the handle %v", name, at)
		}
		handles[name] = at
	}
	if handles["f"] != handles["h"] || handles["f"] == handles["g"] || handles["f"] == handles["d"] {
		t.Errorf("handles: %v", handles)
	}
	// Events carry the kernel's own handles, so a queue of them is of no use.
	w, err := newFanotify()
	if err != nil {
		t.Skip(err)
	}
	defer w.Close()
	if err := w.Add(r, func(Handle) { t.Error("entered") }); !vfs.IsKind(err, vfs.KindUnsupported) {
		t.Errorf("Add of a folder without a handle: %v", err)
	}
}

func TestLongHandles(t *testing.T) {
	long := bytes.Repeat([]byte{7}, 64)
	h := newHandle(3, long)
	if h.Type != handleDigest || h == newHandle(4, long) || h == newHandle(3, long[:63]) || h != newHandle(3, long) {
		t.Errorf("a long handle became %v", h)
	}
	if newHandle(3, long[:32]).Type != 3 || newHandle(3, long[:8]) == newHandle(3, append(bytes.Clone(long[:8]), 0)) {
		t.Error("short handles are not kept as they are")
	}
}
