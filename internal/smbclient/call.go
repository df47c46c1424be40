package smbclient

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Encoder is a message that can be sent.
type Encoder interface{ Encode(*cursor.Writer) }

// Decoder is a message that can be received.
type Decoder interface{ Decode(*cursor.Reader) }

// Raw is a body that is sent as it stands.
type Raw []byte

// Encode writes the body.
func (b Raw) Encode(w *cursor.Writer) { w.Bytes(b) }

// Request is one message to a server.
type Request struct {
	Command smbwire.Command
	Body    Encoder
	Session *Session // whose request it is; nil before a login
	Tree    *Tree    // the share it is about; nil for none
	Charge  uint16   // credits that it costs; 0: one
	Related bool     // goes on with what the request before it used
	Sign    bool     // even if the session does not ask for it
	Plain   bool     // neither signed nor encrypted, even if the session asks for it

	// Edit changes the header as it would be sent, before it is signed. A
	// MessageID that it sets is where the response is waited for. Nil: nothing
	// is changed.
	Edit func(h *smbwire.Header)

	preauth *smbcrypt.PreauthHash // that the messages belong to
	block   *Block                // whose memory holds the body's data
}

// Call is a request that was sent.
type Call struct {
	conn    *Conn
	session *Session
	header  smbwire.Header // as it was sent
	start   int            // of its message in the frame
	asked   uint16         // credits; 0 once that is booked
	sealed  bool           // so must the response be
	preauth *smbcrypt.PreauthHash

	asyncID  atomic.Uint64 // from the interim response, 0 before it
	interim  chan struct{} // closed by the interim response
	done     chan struct{} // closed when the rest is set
	response Response
	err      error
}

// Response is a message of the server. Its owner frees it.
type Response struct {
	Header  smbwire.Header
	Sealed  bool   // it was encrypted
	Message []byte // from the header on; it aliases the frame
	frame   *buffer
}

// Decode reads the body into m, which may alias the response.
func (r *Response) Decode(m Decoder) error {
	var rd cursor.Reader
	rd.Reset(r.Message)
	rd.Seek(smbwire.HeaderSize)
	m.Decode(&rd)
	if err := rd.Err(); err != nil {
		return fmt.Errorf("%w: response to %v: %w", ErrProtocol, r.Header.Command, err)
	}
	return nil
}

// Err returns the status as an error that wraps it, nil for StatusOK.
func (r *Response) Err() error {
	if r.Header.Status == smbwire.StatusOK {
		return nil
	}
	return fmt.Errorf("%v: %w", r.Header.Command, r.Header.Status)
}

// Free gives the response's memory back. Nothing may hold on to its bytes.
func (r *Response) Free() {
	if r.frame != nil {
		r.frame.free()
		r.frame, r.Message = nil, nil
	}
}

// Start sends requests as one frame, which is a compound when there are
// several. It waits for credits only. Each Call it returns must be waited for.
func (c *Conn) Start(ctx context.Context, requests ...*Request) ([]*Call, error) {
	total := 0
	for _, r := range requests {
		total += int(max(r.Charge, 1))
	}
	id, ask, err := c.credits.take(ctx, total)
	if err != nil {
		return nil, err
	}
	calls := make([]*Call, len(requests))
	for i, r := range requests {
		calls[i] = c.newCall(r, id, ask)
		id += uint64(max(r.Charge, 1))
		ask = 0 // the first asks for all of them
	}
	if err := c.expect(calls); err != nil {
		return nil, err
	}
	c.send(c.encode(calls, requests))
	return calls, nil
}

// Do sends a request and waits for the response, whatever its status.
func (c *Conn) Do(ctx context.Context, r *Request) (*Response, error) {
	calls, err := c.Start(ctx, r)
	if err != nil {
		return nil, err
	}
	return calls[0].Wait(ctx)
}

// newCall prepares the header of a request.
func (c *Conn) newCall(r *Request, id uint64, ask uint16) *Call {
	k := &Call{
		conn:    c,
		session: r.Session,
		preauth: r.preauth,
		interim: make(chan struct{}),
		done:    make(chan struct{}),
		asked:   ask,
		header:  smbwire.Header{Command: r.Command, Credits: ask, MessageID: id},
	}
	if c.agreed.Capabilities&smbwire.CapLargeMTU != 0 {
		k.header.CreditCharge = max(r.Charge, 1)
	}
	if r.Tree != nil {
		k.session = r.Tree.session
		k.header.TreeID = r.Tree.id
	}
	if k.session != nil {
		k.header.SessionID = k.session.id
	}
	if r.Related {
		k.header.Flags |= smbwire.FlagRelated
	}
	if r.Edit != nil {
		r.Edit(&k.header)
	}
	return k
}

// Header returns the header as it was sent, without the signature.
func (k *Call) Header() smbwire.Header { return k.header }

// Interim is closed when the server has said that the request has to wait.
func (k *Call) Interim() <-chan struct{} { return k.interim }

// Done is closed when the response is there.
func (k *Call) Done() <-chan struct{} { return k.done }

// Wait waits for the response, whatever its status, and verifies it. When ctx
// ends it cancels the request, and waits a little for the server to say so.
func (k *Call) Wait(ctx context.Context) (*Response, error) {
	select {
	case <-k.done:
	case <-ctx.Done():
		k.Cancel()
		select {
		case <-k.done:
		case <-time.After(cancelTime):
			return nil, ctx.Err()
		}
	}
	if k.err != nil {
		return nil, k.err
	}
	if err := k.verify(); err != nil {
		k.response.Free()
		return nil, err
	}
	return &k.response, nil
}

// verify checks how the response is protected ([MS-SMB2] 3.2.5.1.3).
func (k *Call) verify() error {
	r, s := &k.response, k.session
	switch {
	case r.Sealed:
		return nil
	case k.sealed:
		return fmt.Errorf("%w: response to %v is not encrypted", ErrProtocol, r.Header.Command)
	case s == nil || s.signer == nil:
		return nil
	case r.Header.Flags&smbwire.FlagSigned == 0:
		if s.mustSign {
			return fmt.Errorf("%w: response to %v is not signed: %w", ErrProtocol, r.Header.Command, r.Header.Status)
		}
		return nil
	case !s.signer.Verify(r.Message):
		return fmt.Errorf("%w: response to %v has a wrong signature", ErrProtocol, r.Header.Command)
	}
	return nil
}

// Cancel asks the server to end the waiting of a request, whose response will
// tell whether it did ([MS-SMB2] 3.2.4.24).
func (k *Call) Cancel() {
	h := smbwire.Header{Command: smbwire.Cancel, MessageID: k.header.MessageID, SessionID: k.header.SessionID}
	if id := k.asyncID.Load(); id != 0 {
		h.Flags |= smbwire.FlagAsync
		h.AsyncID = id
	}
	k.conn.Send(&Request{
		Command: smbwire.Cancel,
		Session: k.session,
		Body:    &smbwire.CancelRequest{},
		Edit:    func(header *smbwire.Header) { *header = h },
	})
}

// Send sends a request that has no response, such as CANCEL. It costs no
// credit and has no message id but the one that Edit sets.
func (c *Conn) Send(r *Request) {
	k := c.newCall(r, 0, 0)
	c.send(c.encode([]*Call{k}, []*Request{r}))
}

// finish hands the call its response, or an error.
func (k *Call) finish(r *Response, err error) {
	if r != nil {
		k.response = *r
	}
	k.err = err
	close(k.done)
}
