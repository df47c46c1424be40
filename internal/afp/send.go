package afp

import (
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// sendTime is how long a client may take nothing of what is sent.
const sendTime = 90 * time.Second

// outbox is the way out of a connection, for one frame at a time.
type outbox struct {
	mu     sync.Mutex
	failed bool
}

// reply answers a frame.
func (c *conn) reply(to afpwire.Header, result afpwire.Result, block reply) {
	c.send(afpwire.Header{Reply: true, Function: to.Function, RequestID: to.RequestID, Result: result}, block)
}

// send encodes a frame and sends it.
func (c *conn) send(h afpwire.Header, payload reply) {
	w := cursor.NewWriter(make([]byte, 0, 256))
	w.Zero(afpwire.HeaderSize)
	if payload != nil {
		var p cursor.Writer
		p.Reset(w.Buffer())
		payload.Encode(&p)
		h.Length = uint32(p.Len())
		c.write(h, p.Buffer())
		return
	}
	c.write(h, w.Buffer())
}

// write sends a frame whose payload stands behind room for its header. After an
// error the connection is cut, since nobody can tell how much of it went out.
func (c *conn) write(h afpwire.Header, frame []byte) {
	var w cursor.Writer
	w.Reset(frame[:0])
	h.Encode(&w)
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.out.failed {
		return
	}
	c.nc.SetWriteDeadline(time.Now().Add(sendTime))
	if _, err := c.nc.Write(frame); err != nil {
		c.out.failed = true
		c.cut(err)
	}
}
