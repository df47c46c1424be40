package smbclient

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// credits counts what the client may have outstanding and gives out message
// ids ([MS-SMB2] 3.2.1.2, 3.2.4.1.2). Who has to wait is served in order, so
// that large requests are not starved by small ones.
type credits struct {
	want int // to hold, in use or not

	mu     sync.Mutex
	free   int
	coming int // asked for in requests that are not answered
	nextID uint64
	queue  []*creditWait
	err    error // after which nobody gets any
}

// creditWait is someone who waits for n credits.
type creditWait struct {
	n     int
	ready chan grantedIDs
}

// grantedIDs are consecutive message ids, and how many credits to ask for.
type grantedIDs struct {
	id  uint64
	ask uint16
	err error
}

// newCredits begins with the one credit that a connection begins with.
func newCredits(want int) *credits { return &credits{want: want, free: 1} }

// take waits for n credits. It returns the first of n message ids, and how
// many credits the request is to ask for, which received must be told when
// the response is there.
func (c *credits) take(ctx context.Context, n int) (id uint64, ask uint16, err error) {
	c.mu.Lock()
	if c.err != nil || len(c.queue) == 0 && c.free >= n {
		g := c.spendLocked(n)
		c.mu.Unlock()
		return g.id, g.ask, g.err
	}
	w := &creditWait{n: n, ready: make(chan grantedIDs, 1)}
	c.queue = append(c.queue, w)
	c.serveLocked()
	c.mu.Unlock()
	select {
	case g := <-w.ready:
		return g.id, g.ask, g.err
	case <-ctx.Done():
	}
	if c.forget(w) {
		return 0, 0, ctx.Err()
	}
	// They were given out meanwhile. Message ids that are never used would
	// block the server's window, so the request is sent after all.
	g := <-w.ready
	return g.id, g.ask, g.err
}

// spendLocked takes n credits, which are there.
func (c *credits) spendLocked(n int) grantedIDs {
	if c.err != nil {
		return grantedIDs{err: c.err}
	}
	g := grantedIDs{id: c.nextID}
	c.nextID += uint64(n)
	c.free -= n
	ask := min(max(c.want-c.free-c.coming, 1), 1<<16-1)
	c.coming += ask
	g.ask = uint16(ask)
	return g
}

// forget takes out one who no longer waits and reports whether it still did.
func (c *credits) forget(w *creditWait) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.queue, w)
	if i < 0 {
		return false
	}
	c.queue = slices.Delete(c.queue, i, i+1)
	c.serveLocked()
	return true
}

// received books the credits of a response. asked is what its request asked
// for, 0 if that was booked before.
func (c *credits) received(granted, asked uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free += int(granted)
	c.coming -= int(asked)
	c.serveLocked()
}

// serveLocked wakes those whose turn it is, and those whose turn can never
// come: there is no request on its way that could bring credits.
func (c *credits) serveLocked() {
	for len(c.queue) > 0 {
		w := c.queue[0]
		switch {
		case c.err != nil || c.free >= w.n:
			w.ready <- c.spendLocked(w.n)
		case c.coming == 0:
			w.ready <- grantedIDs{err: fmt.Errorf("smbclient: a request costs %d credits and the server grants only %d", w.n, c.free)}
		default:
			return
		}
		c.queue = c.queue[1:]
	}
}

// end lets nobody wait any more.
func (c *credits) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	c.serveLocked()
}
