package share

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// maxChangeTimes bounds how many times of change are remembered; beyond it some
// are forgotten.
const maxChangeTimes = 1 << 14

// changeTimes remembers the times of change that clients set and that no disk
// can keep: it has the time of the latest change, and that is all. What a
// client set is shown until the node changes, or the server ends. It is safe
// for concurrent use.
type changeTimes struct {
	some atomic.Bool // there was one ever

	mu  sync.RWMutex
	set map[uint64]changeTime // by vfs.Attr.ID
}

type changeTime struct {
	shown time.Time // what was set
	real  time.Time // what the FS has, as long as nothing else changes
}

// keep is called when shown was set for a node and the FS now says a.
func (c *changeTimes) keep(a vfs.Attr, shown time.Time) {
	if a.Changed.Equal(shown) {
		return // this FS keeps it by itself
	}
	c.some.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set == nil {
		c.set = map[uint64]changeTime{}
	}
	for id := range c.set {
		if len(c.set) < maxChangeTimes {
			break
		}
		delete(c.set, id)
	}
	c.set[a.ID] = changeTime{shown, a.Changed}
}

// show puts what was set into a, unless the node changed since.
func (c *changeTimes) show(a *vfs.Attr) {
	if !c.some.Load() {
		return
	}
	c.mu.RLock()
	t, ok := c.set[a.ID]
	c.mu.RUnlock()
	if ok && t.real.Equal(a.Changed) {
		a.Changed = t.shown
	}
}
