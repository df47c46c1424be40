package afp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

const (
	// quantum is the most data in a request.
	quantum = afpwire.DefaultQuantum
	// strangerFrame is the longest request before a login.
	strangerFrame = 4096
	// maxInWork is how many requests of one connection run at the same time.
	maxInWork = 16
	// maxRefusals is how many logins of one connection may fail.
	maxRefusals = 16

	strangerBuffer = 512
	userBuffer     = 64 << 10
)

// Why connections end.
var (
	errProtocol = errors.New("protocol violation")
	errBye      = errors.New("the client closed the session")
	errStopping = errors.New("the server stops")
	errSilent   = errors.New("the client is silent")
	errReplaced = errors.New("the client came back by another connection")
)

// conn is one connection. One goroutine reads it, and starts one for each request
// that may run beside others.
type conn struct {
	server *Server
	nc     net.Conn
	ctx    context.Context // ends when the connection does
	cancel context.CancelCauseFunc
	slots  chan struct{} // holds one for each request in work
	work   sync.WaitGroup
	ticks  sync.WaitGroup
	done   chan struct{} // closed when all is over
	out    outbox
	asleep atomic.Bool

	// Of the goroutine that reads, which also runs what runs alone; requests read
	// them.
	in       *bufio.Reader
	stranger bool // until the login
	opened   bool // DSIOpenSession was said
	login    *login
	refusals int
	change   *change
	session  *session // nil before the login
	returned bool     // session was that of a connection that was lost
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{
		server:   s,
		nc:       nc,
		slots:    make(chan struct{}, maxInWork),
		done:     make(chan struct{}),
		in:       bufio.NewReaderSize(nc, strangerBuffer),
		stranger: true,
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	nc.SetReadDeadline(time.Now().Add(loginTime))
	return c
}

// read is the goroutine that takes frames from the socket.
func (c *conn) read() {
	for {
		h, payload, err := c.receive()
		if err == nil {
			err = c.take(h, payload)
		}
		if err != nil {
			c.close(err)
			return
		}
	}
}

// receive returns the next frame. Its length is checked before there is memory
// for it. After any error nothing that follows can be trusted to be a frame.
func (c *conn) receive() (h afpwire.Header, payload []byte, err error) {
	var head [afpwire.HeaderSize]byte
	if !c.stranger {
		c.nc.SetReadDeadline(time.Now().Add(c.patience()))
		if c.server.ctx.Err() != nil { // drain may have come just before
			c.drain()
		}
	}
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return h, nil, err
	}
	r := cursor.NewReader(head[:])
	if h.Decode(r); r.Err() != nil {
		return h, nil, fmt.Errorf("%w: %w", errProtocol, r.Err())
	}
	if err := h.Check(quantum); err != nil {
		return h, nil, fmt.Errorf("%w: %w", errProtocol, err)
	}
	if c.stranger && h.Length > strangerFrame {
		return h, nil, fmt.Errorf("%w: %d bytes before a login", errProtocol, h.Length)
	}
	payload = make([]byte, h.Length)
	_, err = io.ReadFull(c.in, payload)
	return h, payload, err
}

// take does what a frame asks for. An error ends the connection.
func (c *conn) take(h afpwire.Header, payload []byte) error {
	if h.Reply {
		if h.Function == afpwire.DSIAttention || h.Function == afpwire.DSITickle {
			return nil
		}
		return fmt.Errorf("%w: reply to a %v that was not asked", errProtocol, h.Function)
	}
	switch h.Function {
	case afpwire.DSITickle:
		return nil
	case afpwire.DSIGetStatus:
		if c.opened {
			return fmt.Errorf("%w: %v within a session", errProtocol, h.Function)
		}
		c.reply(h, afpwire.ResultNoErr, c.server.info(c))
		return errBye
	case afpwire.DSIOpenSession:
		return c.openSession(h, payload)
	case afpwire.DSICloseSession:
		c.work.Wait()
		return errBye
	case afpwire.DSICommand, afpwire.DSIWrite:
		return c.command(h, payload)
	}
	return fmt.Errorf("%w: %v from a client", errProtocol, h.Function)
}

// openSession answers DSIOpenSession.
func (c *conn) openSession(h afpwire.Header, payload []byte) error {
	var asked afpwire.SessionOptions
	r := cursor.NewReader(payload)
	if asked.Decode(r); r.Err() != nil || c.opened {
		return fmt.Errorf("%w: %v: %w", errProtocol, h.Function, r.Err())
	}
	if c.server.ctx.Err() != nil || !c.server.enter() {
		c.reply(h, afpwire.ResultNoMoreSessions, nil)
		return errBye
	}
	c.opened = true
	c.reply(h, afpwire.ResultNoErr, &afpwire.SessionOptions{ServerQuantum: quantum, ReplayCacheSize: replaySize})
	return nil
}

// command runs a request: beside others if it may, else when all before it are
// done.
func (c *conn) command(h afpwire.Header, payload []byte) error {
	if !c.opened || len(payload) == 0 {
		return fmt.Errorf("%w: %v without a session or a command", errProtocol, h.Function)
	}
	message, data := h.Parts(payload)
	if len(message) == 0 {
		return fmt.Errorf("%w: %v without a command", errProtocol, h.Function)
	}
	r := &request{conn: c, header: h, command: afpwire.Command(message[0]), message: message, data: data, session: c.session}
	if c.asleep.Load() && r.command != afpwire.Zzzzz {
		c.asleep.Store(false)
	}
	if c.session == nil || commands[r.command].alone {
		c.work.Wait()
		r.run()
		return r.ends
	}
	c.slots <- struct{}{}
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		r.run()
		<-c.slots
	}()
	return nil
}

// welcome is called when the login has succeeded.
func (c *conn) welcome(s *session) {
	c.session = s
	c.stranger = false
	c.server.know()
	// What the old buffer holds already is read first.
	rest, _ := c.in.Peek(c.in.Buffered())
	held := append([]byte(nil), rest...)
	c.in = bufio.NewReaderSize(&readAhead{held, c.nc}, userBuffer)
	c.ticks.Add(1)
	go func() {
		defer c.ticks.Done()
		c.tickle()
	}()
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
