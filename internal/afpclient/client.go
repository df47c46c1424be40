// Package afpclient is the program's own client of AFP over TCP. The benchmarks
// and the tests speak through it.
//
// A Conn carries several requests at a time: who asks encodes and then waits;
// one goroutine sends, and one reads and hands each reply to the one who waits
// for its id. A Conn is a session from its start, and has a user after Login. A
// Volume is an open volume of it, a Fork an open fork of a file there, a Desktop
// the desktop database of a volume. Each can be used by any number of
// goroutines.
//
// Paths and names are as on the wire, see package afpwire; Conn.Path makes them
// of composed UTF-8 for the version that is spoken. A server's refusal is an
// error that wraps an afpwire.Result.
//
// What these methods don't offer can be said with Conn.Ask, or with
// Conn.SendFrame, which may break the rules of the protocol at will.
package afpclient

import (
	"context"
	"net"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// Options say how to speak to a server.
type Options struct {
	// Outstanding is how many requests may wait for their replies; more wait to
	// be sent. A server with a smaller replay cache has the last word. Zero: 32.
	Outstanding int

	// AttentionQuantum is the longest attention to be taken. Zero: 1024.
	AttentionQuantum uint32

	// OnAttention is told what the server says unasked. It is called by the
	// goroutine that reads, so it must not wait. Nil: nobody is told.
	OnAttention func(afpwire.Attention)
}

const (
	defaultOutstanding      = 32
	defaultAttentionQuantum = 1024
)

// withDefaults returns o with what its zero values stand for.
func (o Options) withDefaults() Options {
	if o.Outstanding <= 0 {
		o.Outstanding = defaultOutstanding
	}
	if o.AttentionQuantum == 0 {
		o.AttentionQuantum = defaultAttentionQuantum
	}
	return o
}

// GetStatus asks a server, "host:port", who it is, without opening a session.
func GetStatus(ctx context.Context, addr string) (*afpwire.ServerInfo, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := newConn(nc, Options{}.withDefaults())
	defer c.Close()
	payload, err := c.call(ctx, &request{function: afpwire.DSIGetStatus, message: raw(nil)})
	if err != nil {
		return nil, err
	}
	info := new(afpwire.ServerInfo)
	return info, decode(raw{uint8(afpwire.GetSrvrInfo)}, payload, info)
}

// Dial connects to a server, "host:port", and opens a session.
func Dial(ctx context.Context, addr string, o Options) (*Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return NewConn(ctx, nc, o)
}

// NewConn opens a session over a connection, which it takes over.
func NewConn(ctx context.Context, nc net.Conn, o Options) (*Conn, error) {
	c := newConn(nc, o.withDefaults())
	if err := c.openSession(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// openSession agrees on sizes with the server.
func (c *Conn) openSession(ctx context.Context) error {
	ask := &afpwire.SessionOptions{AttentionQuantum: c.options.AttentionQuantum}
	payload, err := c.call(ctx, &request{function: afpwire.DSIOpenSession, message: ask})
	if err != nil {
		return err
	}
	if err := decode(ask, payload, &c.agreed); err != nil {
		return err
	}
	if c.agreed.ServerQuantum == 0 {
		c.agreed.ServerQuantum = afpwire.MinQuantum
	}
	if n := int(c.agreed.ReplayCacheSize); 0 < n && n < c.options.Outstanding {
		for range c.options.Outstanding - n {
			<-c.slots // nobody else asks yet
		}
	}
	return nil
}

// Agreed returns the options of the session that the server has set.
func (c *Conn) Agreed() afpwire.SessionOptions { return c.agreed }

// raw is a message that is sent as it stands.
type raw []byte

func (m raw) Encode(w *cursor.Writer) { w.Bytes(m) }
