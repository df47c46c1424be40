package smb

import (
	"sync"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Requests run beside each other, and nothing in the protocol says in which
// order they end. But a client may send a READ and, before it is answered, the
// CLOSE of the same file, and must not find the file closed under the READ. So
// a CLOSE waits for the requests about its open that came before it. As it
// waits for earlier ones only, no two of them wait for each other.

// uses counts the requests in work about an open that came before its CLOSE.
type uses struct {
	mu      sync.Mutex
	n       int
	closing bool          // CLOSE came: what is behind it is not counted
	idle    chan struct{} // closed when n becomes 0, nil while nobody waits
}

// queue notes, in the order in which requests came, the opens that those of a
// chain name. Chains that must be done before the next frame is read need it not.
func (ch *chain) queue() {
	for i := range ch.requests {
		r := &ch.requests[i]
		id, ok := smbwire.FileIDOf(r.header.Command, r.message)
		if !ok || r.refusal != nil {
			continue
		}
		s := ch.conn.session(r.header.SessionID)
		if s == nil {
			continue
		}
		o := s.open(id)
		if o == nil {
			continue
		}
		o.uses.mu.Lock()
		if r.header.Command == smbwire.Close {
			o.uses.closing = true
		} else if !o.uses.closing {
			o.uses.n++
			ch.queued = append(ch.queued, o)
		}
		o.uses.mu.Unlock()
	}
}

// unqueue undoes queue for one open or, with nil, for all: when the chain has
// ended, and when it waits for something that may take long.
func (ch *chain) unqueue(one *open) {
	left := ch.queued[:0]
	for _, o := range ch.queued {
		if one != nil && o != one {
			left = append(left, o)
			continue
		}
		o.uses.mu.Lock()
		if o.uses.n--; o.uses.n == 0 && o.uses.idle != nil {
			close(o.uses.idle)
			o.uses.idle = nil
		}
		o.uses.mu.Unlock()
	}
	ch.queued = left
}

// wait returns when the requests that are counted have ended.
func (u *uses) wait() {
	u.mu.Lock()
	if u.n == 0 {
		u.mu.Unlock()
		return
	}
	if u.idle == nil {
		u.idle = make(chan struct{})
	}
	idle := u.idle
	u.mu.Unlock()
	<-idle
}
