package names

import (
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
)

// mounting is how a Tree learns at once that something was mounted or unmounted,
// maybe over one of its folders: each request asks before it does anything.
type mounting struct {
	// mu is held until a change is counted: who asks next was told nothing,
	// but must know. It is above all other locks of a Tree.
	mu    sync.Mutex
	table *disk.MountTable // nil where the system does not tell
}

// lookForMounts notes what was mounted or unmounted before it was called.
func (t *Tree) lookForMounts() {
	t.mounting.mu.Lock()
	defer t.mounting.mu.Unlock()
	if t.mounting.table != nil && t.mounting.table.Changed() {
		t.mountsChanged()
	}
}

// mountsChanged counts a change of the mount table. Marks in the root's file
// system live as long as the root is open. Those in file systems mounted below it
// may be gone, silently.
func (t *Tree) mountsChanged() {
	t.mounts.Add(1)
	t.packs.forgetOthers(t.root.id.dev) // whose numbers may stand for other disks
	t.queues.doubtOthers(t.root.id.dev)
	if t.o.Mounted != nil {
		t.o.Mounted()
	}
}

// close ends the looking.
func (m *mounting) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.table != nil {
		m.table.Close()
		m.table = nil
	}
}
