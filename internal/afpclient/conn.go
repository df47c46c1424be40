package afpclient

import (
	"errors"
	"net"
	"sync"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// Errors that end a connection.
var (
	// ErrClosed is the error of what was not answered before Close.
	ErrClosed = errors.New("afpclient: connection closed")
	// ErrServerClosed is the error of what was not answered when the server
	// closed the session.
	ErrServerClosed = errors.New("afpclient: the server closed the session")
	// ErrProtocol is wrapped by errors that say how a server broke the
	// protocol.
	ErrProtocol = errors.New("afpclient: protocol violation")
)

// Conn is a session with a server. All methods may be called by several
// goroutines at once.
//
// Locks: no lock is taken under another.
type Conn struct {
	nc      net.Conn
	options Options
	agreed  afpwire.SessionOptions
	slots   chan struct{} // one for each request that may be outstanding
	out     outbox
	ended   chan struct{} // closed when the connection has failed
	reads   chan struct{} // closed when the goroutine that reads has ended
	writes  chan struct{} // closed when the goroutine that sends has ended

	mu     sync.Mutex
	calls  map[uint16]*call // by request id: what is not answered
	nextID uint16
	afp2   bool // the version of the login is older than AFP 3.0
	err    error
}

func newConn(nc net.Conn, o Options) *Conn {
	c := &Conn{
		nc:      nc,
		options: o,
		slots:   make(chan struct{}, o.Outstanding),
		out:     outbox{wake: make(chan struct{}, 1)},
		ended:   make(chan struct{}),
		reads:   make(chan struct{}),
		writes:  make(chan struct{}),
		calls:   map[uint16]*call{},
	}
	for range o.Outstanding {
		c.slots <- struct{}{}
	}
	go c.receive()
	go c.send()
	return c
}

// Close ends the session and the connection. What was not answered fails with
// ErrClosed.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	<-c.reads
	<-c.writes
	return nil
}

// CloseSession tells the server that the session ends, and closes the
// connection when that is sent.
func (c *Conn) CloseSession() error {
	c.out.put(c.frame(afpwire.Header{Function: afpwire.DSICloseSession}, raw(nil), nil), true)
	select {
	case <-c.writes:
	case <-c.ended:
	}
	return c.Close()
}

// Err returns why the connection ended, nil while it has not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.ended }

// fail ends the connection, unless it has ended.
func (c *Conn) fail(cause error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = cause
	calls := c.calls
	c.calls = nil
	c.mu.Unlock()
	close(c.ended)
	c.nc.Close()
	for _, k := range calls {
		k.finish(cause)
	}
}

// speaksAFP2 reports whether the login was of a version before AFP 3.0.
func (c *Conn) speaksAFP2() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.afp2
}

// Path returns the path through names, in composed UTF-8 without "/", for the
// version that is spoken. Names that MacRoman lacks letters for are not found
// with AFP 2.
func (c *Conn) Path(names ...string) afpwire.Path {
	own := make([]string, len(names))
	afp2 := c.speaksAFP2()
	for i, name := range names {
		if afp2 {
			own[i], _ = afpwire.ToMacRoman(name)
		} else {
			own[i] = decompose(name)
		}
	}
	if afp2 {
		return afpwire.LongPath(own...)
	}
	return afpwire.UTF8Path(own...)
}
