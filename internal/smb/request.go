package smb

import (
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// request is one request on its way through its handler, and its context. It
// belongs to the goroutine that runs its chain, except for what cancel uses.
type request struct {
	conn    *conn
	chain   *chain
	header  smbwire.Header
	message []byte // from its header to the next
	smb1    bool   // the NEGOTIATE of an older protocol
	refusal error  // found before the request was run
	session *session
	tree    *tree
	uses    *share.Tree // whose share stays there for the request, nil if it needs none

	// What is counted (counting.go).
	began time.Time
	moved int // bytes that were read or written

	out   cursor.Writer // where the response will stand
	start int           // of it, in the chain's buffer

	// With an interim response sent, and only then, asyncID is set.
	asyncID uint64
	crowded bool           // it had to wait, and too many did already
	waiting *share.Waiting // what for; nil before it had to

	// preauth is the hash that the response belongs to, if any.
	preauth *smbcrypt.PreauthHash

	// afterwards is run when the response is on its way.
	afterwards func()

	ctx    context.Context // of a request that may wait
	cancel context.CancelFunc
}

// reply is a response message.
type reply interface {
	Encode(w *cursor.Writer)
}

// row is the request's row of the table of commands, nil if it has none.
func (r *request) row() *command {
	if r.header.Command < smbwire.Commands && commands[r.header.Command].handle != nil {
		return &commands[r.header.Command]
	}
	return nil
}

// last reports whether no request of the chain comes behind r.
func (r *request) last() bool { return r == &r.chain.requests[len(r.chain.requests)-1] }

// release gives up what the request uses.
func (r *request) release() {
	if r.uses != nil {
		r.uses.Release()
		r.uses = nil
	}
}

// context is what calls that r makes are made with.
func (r *request) context() context.Context {
	if r.ctx != nil {
		return share.OnPark(r.ctx, r.park)
	}
	return r.conn.ctx
}

// begin makes room for the response, so that a handler can fill it in place.
func (r *request) begin() {
	r.start = r.chain.space(&r.out, 256)
	r.out.Zero(smbwire.HeaderSize)
}

// respond writes the response behind those of the chain that are ready. A
// warning comes with its reply, an error with a body of its own.
func (r *request) respond(rep reply, err error) {
	if r.crowded && err != nil {
		err = smbwire.StatusInsufficientResources
	}
	status := statusOf(err)
	if status == smbwire.StatusCancelled && r.session != nil && r.session.dismissed.Load() {
		status = smbwire.StatusUserSessionDeleted
	}
	r.report(err, status)
	if r.out.Buffer() == nil {
		r.begin()
	}
	if rep == nil {
		rep = errorReply(err)
	}
	r.out.Truncate(smbwire.HeaderSize)
	rep.Encode(&r.out)
	h := r.responseHeader(status)
	r.chain.out.adopt(r.out.Buffer())
	end := len(r.chain.out.b)
	var hw cursor.Writer
	hw.Reset(r.chain.out.b[:r.start])
	h.Encode(&hw)
	r.chain.responses = append(r.chain.responses, response{r.start, end, r.signedBy(status), r.preauth})
}

// responseHeader is the header of r's response, with the credits it grants.
func (r *request) responseHeader(status smbwire.Status) smbwire.Header {
	h := smbwire.Header{
		CreditCharge: r.header.CreditCharge,
		Status:       status,
		Command:      r.header.Command,
		Flags:        smbwire.FlagResponse | r.header.Flags&(smbwire.FlagRelated|smbwire.FlagPriority),
		MessageID:    r.header.MessageID,
		TreeID:       r.header.TreeID,
		SessionID:    r.header.SessionID,
	}
	if r.tree != nil {
		h.TreeID = r.tree.id
	}
	if r.session != nil {
		h.SessionID = r.session.id
	}
	if r.asyncID != 0 {
		h.Flags |= smbwire.FlagAsync
		h.AsyncID = r.asyncID
		return h // the interim response granted the credits
	}
	h.Credits = r.grant()
	return h
}

// grant gives the client as many credits as it asks for.
func (r *request) grant() uint16 {
	limit := uint16(maxCredits)
	if r.session == nil || !r.session.valid.Load() {
		limit = unauthenticatedCredits
	}
	return r.conn.window.grant(r.header.Credits, limit)
}

// signedBy returns the session whose key signs the response, nil if it is not
// signed ([MS-SMB2] 3.3.4.1.1).
func (r *request) signedBy(status smbwire.Status) *session {
	s := r.session
	switch {
	case s == nil || !s.armed.Load() || s.signer == nil || r.chain.encrypted != nil:
		return nil
	case r.header.Command == smbwire.SessionSetup && status == smbwire.StatusOK:
		return s // it proves to the client that the server knows the key
	case r.header.Flags&smbwire.FlagSigned != 0 || s.mustSign:
		return s
	}
	return nil
}

// report tells the log what the client is not told.
func (r *request) report(err error, status smbwire.Status) {
	if _, meant := err.(smbwire.Status); status == smbwire.StatusInternalError && !meant {
		r.conn.server.config.Log.Error("smb: a request was not answered, for a reason that nobody foresaw", "command", r.header.Command.String(),
			"address", r.conn.address(), "error", err)
	}
}

// open returns the open that a request names.
func (r *request) open(id smbwire.FileID) (*open, error) {
	if id == smbwire.RelatedFileID && r.header.Flags&smbwire.FlagRelated != 0 {
		switch {
		case r.chain.failure != nil:
			return nil, r.chain.failure
		case r.chain.file == nil:
			return nil, smbwire.StatusInvalidParameter
		}
		id = r.chain.file.id
	}
	o := r.session.open(id)
	if o == nil || o.tree.id != r.tree.id {
		return nil, smbwire.StatusFileClosed
	}
	r.chain.file = o
	return o, nil
}

// keep registers an open under an id and makes it the one that related
// requests go on with.
func (r *request) keep(o *open) error {
	if err := r.session.keep(o); err != nil {
		return err
	}
	r.chain.file, r.chain.failure = o, nil
	return nil
}

// charged reports whether the request paid for n bytes ([MS-SMB2] 3.3.5.2.5).
func (r *request) charged(n uint32) bool {
	return !r.conn.negotiated.largeMTU || (uint64(n)+65535)/65536 <= uint64(max(r.header.CreditCharge, 1))
}
