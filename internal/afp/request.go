package afp

import (
	"errors"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/vfs"
)

// request is one request on its way through its handler.
type request struct {
	conn    *conn
	header  afpwire.Header
	command afpwire.Command
	message []byte // from the command on
	data    []byte // of a DSIWrite
	session *session
	ends    error // why the connection ends with this request, nil if it does not

	out cursor.Writer // where the reply will stand, behind room for its header
}

// reply is a reply block.
type reply interface {
	Encode(w *cursor.Writer)
}

// raw is a reply block that is there already.
type raw []byte

func (b raw) Encode(w *cursor.Writer) { w.Bytes(b) }

// run handles the request and answers it.
func (r *request) run() {
	if result, block, known := r.replayed(); known {
		r.conn.reply(r.header, result, raw(block))
		return
	}
	block, err := r.handle()
	result := resultOf(err)
	if _, meant := errors.AsType[afpwire.Result](err); err != nil && !meant && vfs.KindOf(err) == vfs.KindInternal {
		r.conn.server.config.Log.Warn("afp: a request was not answered, for a reason that nobody foresaw", "command", r.command.String(),
			"address", r.conn.nc.RemoteAddr().String(), "error", err)
	}
	if r.out.Buffer() == nil {
		r.begin(256)
	}
	r.out.Truncate(0)
	if block != nil {
		block.Encode(&r.out)
	}
	r.remember(result)
	h := afpwire.Header{Reply: true, Function: r.header.Function, RequestID: r.header.RequestID, Result: result, Length: uint32(r.out.Len())}
	r.conn.write(h, r.out.Buffer())
}

// begin makes room for a reply of so many bytes, so that a handler can fill it
// in place.
func (r *request) begin(n int) {
	r.out.Reset(make([]byte, afpwire.HeaderSize, afpwire.HeaderSize+n))
}

// handle finds the handler and runs it.
func (r *request) handle() (reply, error) {
	row := &commands[r.command]
	switch {
	case row.handle == nil:
		return nil, afpwire.ResultCallNotSupported
	case row.needs == aLogin && r.session == nil:
		return nil, afpwire.ResultUserNotAuth
	case row.needs == noLogin && r.session != nil:
		return nil, afpwire.ResultMiscErr
	}
	if r.session != nil {
		r.session.used.Store(time.Now().UnixNano())
	}
	return row.handle(r, r.conn.ctx)
}
