package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// maxWaiting bounds how many requests of one connection may wait for others,
// as on Windows: the credits of those that do are given anew, so they bound
// nothing.
const maxWaiting = 512

// enter makes a request known to CANCEL if it may wait. It is called in the
// order in which requests came, so that no CANCEL overtakes its target.
func (c *conn) enter(r *request) {
	row := r.row()
	if row == nil || !row.waits {
		return
	}
	r.ctx, r.cancel = context.WithCancel(c.ctx)
	c.mu.Lock()
	c.pending[r.header.MessageID] = r
	c.mu.Unlock()
}

// leave undoes enter.
func (c *conn) leave(r *request) {
	if r.ctx == nil {
		return
	}
	c.mu.Lock()
	delete(c.pending, r.header.MessageID)
	delete(c.asyncs, r.asyncID)
	c.mu.Unlock()
	r.cancel()
}

// cancelRequest does what CANCEL asks for ([MS-SMB2] 3.3.5.16). It has no
// response of its own; the request that is canceled has one.
func (c *conn) cancelRequest(h *smbwire.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.pending[h.MessageID]
	if h.Flags&smbwire.FlagAsync != 0 {
		r = c.asyncs[h.AsyncID]
	}
	if r != nil && r.header.SessionID == h.SessionID {
		r.cancel()
	}
}

// park is called when a request has to wait for others, with what it waits for.
// It tells the client so with an interim response ([MS-SMB2] 3.3.4.2), behind the
// responses that are ready, and gives back what the request holds of the
// connection. Where too many wait already, or the server stops, the wait ends at
// once.
func (r *request) park(on *share.Waiting) {
	c, ch := r.conn, r.chain
	ch.unqueue(nil)
	c.mu.Lock()
	if r.crowded = len(c.asyncs) >= maxWaiting; r.crowded || c.stopping {
		c.mu.Unlock()
		r.cancel()
		return
	}
	c.asyncSeq++
	id := c.asyncSeq
	r.waiting = on
	c.asyncs[id] = r
	c.mu.Unlock()

	r.flushBefore()
	h := r.responseHeader(smbwire.StatusPending)
	h.Flags |= smbwire.FlagAsync
	h.AsyncID = id
	r.asyncID = id
	out := newBuffer(headRoom + 128)
	var w cursor.Writer
	w.Reset(out.b[:headRoom])
	h.Encode(&w)
	(&smbwire.ErrorResponse{}).Encode(&w)
	out.adopt(w.Buffer())
	// An interim response is not signed ([MS-SMB2] 3.3.4.1.1): the final one
	// has the same message id, and so would have the same nonce.
	if ch.encrypted != nil {
		ch.encrypted.seal(out)
	}
	c.post(out, ch.encrypted != nil)

	if ch.handOver() {
		go c.read()
	}
	ch.yield()
}

// flushBefore sends the responses that stand before r's, and begins r's anew
// in a buffer of its own.
func (r *request) flushBefore() {
	ch := r.chain
	if len(ch.responses) == 0 {
		return
	}
	last := ch.responses[len(ch.responses)-1]
	ch.out.b = ch.out.b[:last.end]
	ch.flush()
	r.begin()
}
