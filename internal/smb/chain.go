package smb

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// chain is what came in one frame: a request, or several that are answered
// together ([MS-SMB2] 3.3.5.2.7). It belongs to the goroutine that runs it.
type chain struct {
	conn      *conn
	frame     *buffer // the requests' bytes
	requests  []request
	first     [1]request // room for requests, which is mostly one
	encrypted *session   // whose keys the frame was encrypted with, nil if it was not
	slot      bool       // holds one of the connection's slots

	// reading is set while the connection's reader runs the chain. Who unsets
	// it goes on reading.
	reading atomic.Bool

	// What the requests of a related chain hand on.
	session *session
	tree    *tree
	file    *open
	failure error // why there is no file

	queued []*open // that requests of the chain name, see queue
	opened []*open // whose clients don't know of them before the responses are sent

	out       *buffer
	responses []response
	firstResp [1]response
}

// response is where in a chain's out buffer one response stands.
type response struct {
	start, end int
	sign       *session // whose key signs it, nil for none
	preauth    *smbcrypt.PreauthHash
}

// admit turns a frame into a chain: it decrypts, verifies and cuts it, and
// uses the message ids. Requests must be admitted in the order in which they
// came. An error ends the connection.
func (c *conn) admit(frame *buffer) (*chain, error) {
	ch := &chain{conn: c, frame: frame}
	ch.requests = ch.first[:0]
	ch.responses = ch.firstResp[:0]
	message := frame.b
	switch {
	case smbwire.IsProtocol(message, smbwire.ProtocolTransform):
		var err error
		if message, err = ch.decrypt(message); err != nil {
			return nil, err
		}
	case smbwire.IsProtocol(message, smbwire.ProtocolSMB1) && !c.negotiated.done:
		r := request{conn: c, chain: ch, message: message}
		r.header.Command = smbwire.Negotiate
		r.smb1 = true
		c.window.take(0, 1)
		ch.requests = append(ch.requests, r)
		return ch, nil
	}
	for more := true; more; {
		var err error
		if message, more, err = ch.cut(message); err != nil {
			return nil, err
		}
	}
	for i := range ch.requests {
		c.enter(&ch.requests[i])
	}
	return ch, nil
}

// cut takes the first message off what is left of a frame.
func (ch *chain) cut(message []byte) (rest []byte, more bool, err error) {
	c := ch.conn
	r := request{conn: c, chain: ch}
	var rd cursor.Reader
	rd.Reset(message)
	r.header.Decode(&rd)
	next := r.header.NextCommand
	switch {
	case rd.Err() != nil:
		return nil, false, fmt.Errorf("%w: %w", errDisconnect, rd.Err())
	case r.header.Flags&smbwire.FlagResponse != 0:
		return nil, false, fmt.Errorf("%w: a response was sent to the server", errDisconnect)
	case next%8 != 0 || next != 0 && next < smbwire.HeaderSize || int64(next) > int64(len(message))-smbwire.HeaderSize:
		return nil, false, fmt.Errorf("%w: compound offset %d", errDisconnect, next)
	case !c.negotiated.done && r.header.Command != smbwire.Negotiate:
		return nil, false, fmt.Errorf("%w: %v before NEGOTIATE", errDisconnect, r.header.Command)
	}
	r.message = message
	if next != 0 {
		r.message, rest, more = message[:next:next], message[next:], true
	}
	if r.header.Command == smbwire.Cancel {
		r.began = time.Now()
		if s := c.session(r.header.SessionID); s != nil && c.verify(&r) == nil && s.admits(&r) == nil {
			c.cancelRequest(&r.header)
		}
		return rest, more, nil
	}
	if !c.negotiated.largeMTU {
		r.header.CreditCharge = 1
	}
	if n := len(ch.requests); n > 0 && r.header.Flags&smbwire.FlagRelated != 0 {
		// It is run in the session of the one before it. So it must be signed
		// with that one's key, or somebody on the way could append a request
		// to the frame of another's.
		r.header.SessionID = ch.requests[n-1].header.SessionID
	}
	if !c.window.take(r.header.MessageID, r.header.CreditCharge) {
		return nil, false, fmt.Errorf("%w: message id %d was not granted", errDisconnect, r.header.MessageID)
	}
	r.refusal = c.verify(&r)
	ch.requests = append(ch.requests, r)
	return rest, more, nil
}

// decrypt opens an encrypted frame.
func (ch *chain) decrypt(message []byte) ([]byte, error) {
	s, message, err := ch.conn.decrypt(message)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDisconnect, err)
	}
	ch.encrypted = s
	return message, nil
}

// inOrder reports whether the chain must be done, or wait, before the next
// frame is looked at: because that depends on what it changes or, with
// CHANGE_NOTIFY, because who asks first is to be told first.
func (ch *chain) inOrder() bool {
	for i := range ch.requests {
		switch ch.requests[i].header.Command {
		case smbwire.Negotiate, smbwire.SessionSetup, smbwire.ChangeNotify:
			return true
		}
	}
	return false
}

// run handles the requests one after the other and sends the responses. A
// fault of the program costs the connection, not the server.
func (ch *chain) run() {
	c := ch.conn
	defer c.end()
	defer func() {
		if p := recover(); p != nil {
			c.server.config.Log.Error("smb: a fault of the program; the connection is closed",
				"address", c.nc.RemoteAddr().String(), "panic", p, "stack", string(debug.Stack()))
			ch.unqueue(nil)
			ch.yield()
			c.cut()
		}
	}()
	var err error
	for i := range ch.requests {
		r := &ch.requests[i]
		if err = ch.handle(r, i); err != nil {
			break
		}
	}
	ch.unqueue(nil)
	ch.flush()
	ch.frame.free()
	ch.yield()
	if err != nil {
		c.server.config.Log.Warn("smb: connection closed", "address", c.nc.RemoteAddr().String(), "reason", err)
		c.cut()
	}
}

// handOver makes the caller the connection's reader, if that was the goroutine
// that runs the chain.
func (ch *chain) handOver() bool {
	if !ch.reading.CompareAndSwap(true, false) {
		return false
	}
	ch.conn.server.inline.leave(ch)
	return true
}

// yield gives back the places that the chain holds among those that run.
func (ch *chain) yield() {
	if ch.slot {
		ch.slot = false
		<-ch.conn.server.workers.busy
		<-ch.conn.slots
	}
}

// handle runs one request and puts its response into the out buffer. An error
// ends the connection.
func (ch *chain) handle(r *request, i int) error {
	c := ch.conn
	var rep reply
	defer r.release()
	r.began = time.Now()
	err := ch.prepare(r, i)
	if err == nil {
		r.begin()
		rep, err = r.row().handle(r, r.context())
	}
	c.leave(r)
	if err == errDisconnect {
		return fmt.Errorf("%w in %v", err, r.header.Command)
	}
	ch.remember(r, i, err)
	r.respond(rep, err)
	r.count()
	if r.afterwards != nil {
		ch.flush()
		r.afterwards()
	}
	return nil
}

// prepare finds the session and tree of a request, and what it may not do.
func (ch *chain) prepare(r *request, i int) error {
	row := r.row()
	related := r.header.Flags&smbwire.FlagRelated != 0
	if related && i > 0 {
		r.session = ch.session
		if ch.tree != nil { // unless the request before has disconnected it
			ch.session.tree(r, ch.tree.id)
		}
	} else {
		ch.session, ch.tree, ch.file, ch.failure = nil, nil, nil, nil
		r.session = ch.conn.session(r.header.SessionID)
	}
	switch {
	case r.refusal != nil:
		return r.refusal
	case row == nil, related && (i == 0 || r.session == nil):
		return smbwire.StatusInvalidParameter
	case r.header.Command == smbwire.SessionSetup && len(ch.requests) > 1:
		// Behind one that waits it would run beside the reader, and logins on
		// a session must come one after the other.
		return smbwire.StatusInvalidParameter
	case row.needs == nothing:
		return nil
	case r.session == nil || !r.session.valid.Load():
		return smbwire.StatusUserSessionDeleted
	}
	if err := r.session.admits(r); err != nil {
		return err
	}
	if row.needs == aTree {
		if !related {
			r.session.tree(r, r.header.TreeID)
		}
		if r.tree == nil {
			return smbwire.StatusNetworkNameDeleted
		}
		if r.tree.encrypt && ch.encrypted == nil {
			return smbwire.StatusAccessDenied
		}
	}
	return nil
}

// remember keeps what a related request behind r goes on with: what r was done
// with or, where there is nothing, why.
func (ch *chain) remember(r *request, i int, err error) {
	if i > 0 || r.header.Flags&smbwire.FlagRelated == 0 {
		ch.session, ch.tree = r.session, r.tree
	}
	if r.header.Command == smbwire.Create && err != nil {
		ch.file = nil
	}
	if ch.file == nil && err != nil && ch.failure == nil {
		ch.failure = err
	}
}

// flush sends the responses that are ready, as one frame.
func (ch *chain) flush() {
	if len(ch.responses) == 0 {
		return
	}
	out := ch.out
	for i, resp := range ch.responses {
		message := out.b[resp.start:resp.end]
		if i+1 < len(ch.responses) {
			next := ch.responses[i+1].start
			message = out.b[resp.start:next]
			binary.LittleEndian.PutUint32(message[smbwire.HeaderNextCommandOffset:], uint32(len(message)))
		}
		if resp.preauth != nil {
			resp.preauth.Update(message)
		}
		if resp.sign != nil {
			resp.sign.signer.Sign(message)
		}
	}
	if ch.encrypted != nil {
		ch.encrypted.seal(out)
	}
	ch.conn.send(out, ch.encrypted != nil)
	ch.out, ch.responses = nil, ch.responses[:0]
	for _, o := range ch.opened {
		o.announce()
	}
	ch.opened = nil
}

// space returns a Writer at the place of the next response. size is a guess
// of what it needs.
func (ch *chain) space(w *cursor.Writer, size int) (start int) {
	if ch.out == nil {
		ch.out = newBuffer(headRoom + size + 16)
		ch.out.b = ch.out.b[:headRoom]
	}
	if n := len(ch.responses); n > 0 {
		w.Reset(ch.out.b)
		w.Zero((8 - (len(ch.out.b)-headRoom)%8) % 8)
		ch.out.adopt(w.Buffer())
	}
	w.Reset(ch.out.b)
	return len(ch.out.b)
}
