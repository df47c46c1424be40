package volume

import (
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// Most files have nothing in their attributes for Macs, and to find that out takes
// two calls of the system for each entry of a listing. It is remembered against the
// change time, which every change of an attribute moves, as what is stored for DOS
// is: see meta.Settled.

// maclessSlots bounds how many nodes are remembered: 1 MB, taken at first use. Two
// nodes that fall to one slot drive each other out.
const maclessSlots = 1 << 16

// macless remembers nodes that have nothing stored for Macs.
type macless struct {
	mu    sync.Mutex
	slots []bareNode // nil before the first
}

// bareNode is a node that had nothing while its change time was this.
type bareNode struct {
	id      uint64
	changed int64 // in nanoseconds since 1970
}

func bareOf(a *vfs.Attr) bareNode { return bareNode{a.ID, a.Changed.UnixNano()} }

// has reports whether the node with the attributes a is known to have nothing.
func (m *macless) has(a *vfs.Attr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slots != nil && m.slots[a.ID%maclessSlots] == bareOf(a)
}

// add notes that the node with the attributes a had nothing when disk.Clock said
// looked.
func (m *macless) add(a *vfs.Attr, looked time.Time) {
	if !meta.Settled(a.Changed, looked) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.slots == nil {
		m.slots = make([]bareNode, maclessSlots)
	}
	m.slots[a.ID%maclessSlots] = bareOf(a)
}
