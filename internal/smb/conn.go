package smb

import (
	"bufio"
	"container/list"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Sizes of what is read from the socket.
const (
	// strangerBuffer is the read buffer before a login, small because
	// thousands of sockets may never come to one.
	strangerBuffer = 512
	// userBuffer is the one after it.
	userBuffer = 64 << 10
	// strangerFrame is the largest frame before a login.
	strangerFrame = 64 << 10
	// maxFrame is the largest one: a WRITE with its headers.
	maxFrame = maxIO + 64<<10
	// maxWorkers is how many requests of one connection run at the same
	// time; those that wait for a lock or an oplock are not counted.
	maxWorkers = 64
)

// errDisconnect makes a connection end without an answer, as the protocol
// asks for some kinds of nonsense.
var errDisconnect = errors.New("protocol violation")

// conn is one connection.
//
// Locks: session.mu and window.mu may be taken under mu; outbox.mu is taken
// under none of them.
type conn struct {
	server *Server
	nc     net.Conn
	id     uint64
	ctx    context.Context // ends when the connection does
	cancel context.CancelCauseFunc
	opened time.Time
	window *window
	out    outbox
	slots  chan struct{}  // one is taken by each request that runs beside the reader
	work   sync.WaitGroup // requests
	inWork *budget        // of requests
	unsent *budget        // of replies
	place  *list.Element  // in server.strangers

	// Set by NEGOTIATE, which runs before anything that reads them.
	negotiated negotiated

	// Used by the goroutine that reads, of which there is one at a time.
	in       *bufio.Reader
	stranger bool // until the first login

	mu       sync.Mutex
	sessions map[uint64]*session
	running  int                 // chains that are in work
	pending  map[uint64]*request // by message id: what CANCEL may name
	asyncs   map[uint64]*request // by async id: the same, after an interim response
	asyncSeq uint64
	stopping bool // no request may begin to wait
}

// negotiated is what both sides agreed on.
type negotiated struct {
	done         bool
	dialect      smbcrypt.Dialect
	cipher       smbcrypt.Cipher // 0: none
	signing      smbcrypt.SigningAlgorithm
	mode         smbwire.SecurityMode // as answered
	preauth      smbcrypt.PreauthHash // of the NEGOTIATE messages
	capabilities smbwire.Capabilities // as answered
	largeMTU     bool                 // messages may cost several credits
	client       smbwire.NegotiateRequest
}

func newConn(s *Server, nc net.Conn, id uint64) *conn {
	c := &conn{
		server:   s,
		nc:       nc,
		id:       id,
		opened:   time.Now(),
		window:   newWindow(),
		slots:    make(chan struct{}, maxWorkers),
		inWork:   newBudget(maxInWork),
		unsent:   newBudget(maxReplies),
		in:       bufio.NewReaderSize(nc, strangerBuffer),
		stranger: true,
		sessions: map[uint64]*session{},
		pending:  map[uint64]*request{},
		asyncs:   map[uint64]*request{},
	}
	c.out.init()
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	context.AfterFunc(c.ctx, func() {
		c.inWork.end()
		c.unsent.end()
	})
	nc.SetReadDeadline(c.opened.Add(loginTime))
	return c
}

// read is the goroutine that takes frames from the socket. A request that
// comes alone is run by it, because handing it over would cost more than it;
// should that request have to wait, or take long, for which a disk that hangs is
// enough, another goroutine goes on reading.
func (c *conn) read() {
	for {
		frame, err := c.receive()
		if err != nil {
			c.close(err)
			return
		}
		ch, err := c.admit(frame)
		if err != nil {
			frame.free()
			c.close(err)
			return
		}
		alone, inOrder := c.begin(ch), ch.inOrder()
		if !inOrder {
			ch.queue()
		}
		if inOrder || alone && c.in.Buffered() == 0 && c.server.inline.enter(ch) {
			ch.reading.Store(true)
			ch.run()
			if !ch.handOver() {
				return
			}
			continue
		}
		c.slots <- struct{}{}
		c.server.workers.busy <- struct{}{}
		ch.slot = true
		c.server.workers.run(ch)
	}
}

// begin counts a chain as running and reports whether it is the only one.
func (c *conn) begin(ch *chain) bool {
	c.work.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
	return c.running == 1
}

// end undoes begin.
func (c *conn) end() {
	c.mu.Lock()
	c.running--
	c.mu.Unlock()
	c.work.Done()
}

// receive returns the next frame, without its length ([MS-SMB2] 2.1).
func (c *conn) receive() (*buffer, error) {
	head, err := c.in.Peek(frameHeaderSize)
	if err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head))
	limit := maxFrame
	if c.stranger {
		limit = strangerFrame
	}
	if n > limit || n < 4 {
		return nil, fmt.Errorf("%w: frame of %d bytes", errDisconnect, n)
	}
	c.in.Discard(frameHeaderSize)
	large := n > largeBuffer
	if large {
		c.inWork.take(n)
	}
	frame := newBuffer(n + smbcrypt.TagSize)
	frame.b = frame.b[:n]
	if large {
		frame.charged(c.inWork, n)
	}
	if _, err := io.ReadFull(c.in, frame.b); err != nil {
		frame.free()
		return nil, err
	}
	return frame, nil
}

// welcome is called when the first login on the connection has succeeded.
func (c *conn) welcome() {
	if !c.stranger {
		return
	}
	c.stranger = false
	c.server.know(c)
	c.nc.SetReadDeadline(time.Time{})
	if c.server.ctx.Err() != nil {
		c.drain()
	}
	// What the old buffer holds already is read first.
	rest, _ := c.in.Peek(c.in.Buffered())
	held := append([]byte(nil), rest...)
	c.in = bufio.NewReaderSize(&readAhead{held, c.nc}, userBuffer)
}

// readAhead reads what is held, then from the connection.
type readAhead struct {
	held []byte
	net.Conn
}

func (r *readAhead) Read(p []byte) (int, error) {
	if len(r.held) > 0 {
		n := copy(p, r.held)
		r.held = r.held[n:]
		return n, nil
	}
	return r.Conn.Read(p)
}

// drain makes the connection end after the requests that it has received.
func (c *conn) drain() { c.nc.SetReadDeadline(time.Unix(1, 0)) }

// cut ends the connection now.
func (c *conn) cut() {
	c.cancel(errDisconnect)
	c.nc.Close()
}

// close ends the connection, from the goroutine that reads: it waits for the
// requests in work, whose replies are sent if the client still listens.
func (c *conn) close(cause error) {
	log := c.server.config.Log.With("address", c.nc.RemoteAddr().String())
	switch {
	case errors.Is(cause, errDisconnect):
		log.Warn("smb: connection closed", "reason", cause)
	case errors.Is(cause, io.EOF) || errors.Is(cause, net.ErrClosed) || c.server.ctx.Err() != nil:
	default:
		log.Info("smb: connection lost", "reason", cause)
	}
	if c.server.ctx.Err() == nil || !c.timedOut(cause) {
		c.cancel(cause) // nobody is left to wait for an answer
	} else {
		c.cancelWaiting()
	}
	c.work.Wait()
	c.out.close(c)
	c.cancel(cause)
	c.nc.Close()

	c.mu.Lock()
	sessions := c.sessions
	c.sessions = map[uint64]*session{}
	c.mu.Unlock()
	for _, s := range sessions {
		s.close()
	}
	c.server.forget(c)
}

// timedOut reports whether the connection ended because drain asked it to.
func (c *conn) timedOut(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

// cancelWaiting ends the requests that wait for something that may never
// come; the others are left to finish.
func (c *conn) cancelWaiting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = true
	for _, r := range c.asyncs {
		r.cancel()
	}
}

// session returns the session of an id, nil if the connection has none.
func (c *conn) session(id uint64) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// address is the client's, without the port.
func (c *conn) address() string { return host(c.nc) }
