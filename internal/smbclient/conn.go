package smbclient

import (
	"errors"
	"net"
	"sync"

	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Errors that end a connection.
var (
	// ErrClosed is the error of what was not answered before Close.
	ErrClosed = errors.New("smbclient: connection closed")
	// ErrProtocol is wrapped by errors that say how a server broke the
	// protocol.
	ErrProtocol = errors.New("smbclient: protocol violation")
)

// Conn is a connection to a server. All methods may be called by several
// goroutines at once.
//
// Locks: no lock is taken under another.
type Conn struct {
	nc      net.Conn
	options Options
	credits *credits
	out     outbox
	agreed  Agreed
	preauth smbcrypt.PreauthHash // of the NEGOTIATE messages
	read    chan struct{}        // closed when the goroutine that reads has ended

	mu       sync.Mutex
	calls    map[uint64]*Call    // by message id: what is not answered
	sessions map[uint64]*Session // that may encrypt
	err      error               // why the connection ended
}

// Agreed is what a client and a server agreed on in NEGOTIATE.
type Agreed struct {
	Dialect      smbwire.Dialect
	Signing      smbcrypt.SigningAlgorithm
	Cipher       smbcrypt.Cipher // 0: messages can't be encrypted
	ServerGUID   [16]byte
	Capabilities smbwire.Capabilities // of the server
	SecurityMode smbwire.SecurityMode // of the server
	MaxRead      uint32
	MaxWrite     uint32
	MaxTransact  uint32
	hint         []byte // the server's first token
}

func newConn(nc net.Conn, o Options) *Conn {
	c := &Conn{
		nc:       nc,
		options:  o,
		credits:  newCredits(o.Credits),
		read:     make(chan struct{}),
		calls:    map[uint64]*Call{},
		sessions: map[uint64]*Session{},
	}
	go c.receive()
	return c
}

// Agreed returns what was negotiated.
func (c *Conn) Agreed() Agreed { return c.agreed }

// Close closes the connection. What was not answered fails with ErrClosed.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	<-c.read
	return nil
}

// Err returns why the connection ended, nil while it has not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.read }

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
	c.nc.Close()
	for _, k := range calls {
		k.finish(nil, cause)
	}
	c.credits.end(cause)
}

// expect makes calls known to the goroutine that reads.
func (c *Conn) expect(calls []*Call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	for _, k := range calls {
		c.calls[k.header.MessageID] = k
	}
	return nil
}

// session returns the session of an id, nil if there is none.
func (c *Conn) session(id uint64) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// host is the server's name as the address spelled it.
func (c *Conn) host() string {
	addr := c.nc.RemoteAddr().String()
	if host, _, err := net.SplitHostPort(addr); err == nil {
		return host
	}
	return addr
}
