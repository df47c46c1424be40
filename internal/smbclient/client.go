// Package smbclient is the program's own client of SMB 2 and 3 ([MS-SMB2]). The
// benchmarks, the doctor and the tests speak through it.
//
// A Conn carries any number of requests at a time: whoever asks encodes,
// signs and sends by itself and then waits; one goroutine reads and hands each
// response to the one who waits for its message id. A Session is a login on a
// Conn, a Tree a share of a Session, a File an open file of a Tree. Each can be
// used by any number of goroutines.
//
// What these methods don't offer can be said with a Request, which may break
// the rules of the protocol at will, and sent with Conn.Start.
package smbclient

import (
	"context"
	"crypto/rand"
	"net"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Options say how to speak to a server.
type Options struct {
	// Login is who logs in with Dial.
	Login Login

	// Dialects are offered. None: all there are.
	Dialects []smbwire.Dialect

	// MultiProtocol begins with the SMB1 message that asks for SMB2, as old
	// clients of both do.
	MultiProtocol bool

	// Signing lists the algorithms to offer with 3.1.1, best first. Nil: GMAC,
	// CMAC and HMAC. Empty but not nil: none is named, which means CMAC.
	Signing []smbcrypt.SigningAlgorithm

	// RequireSigning signs everything and takes nothing that is not signed.
	// Without it that depends on the server.
	RequireSigning bool

	// Ciphers are offered with 3.1.1, best first. Nil: all, GCM first.
	// Empty but not nil: no encryption with any dialect.
	Ciphers []smbcrypt.Cipher

	// Encrypt encrypts everything after the login and fails where the server
	// can't. Without it, what the server asks to be encrypted is.
	Encrypt bool

	// Credits is how many the client tries to hold, which bounds what can be
	// outstanding: a credit is a request, or 64 KiB of one. Zero: 1024.
	Credits int

	// OnBreak is told that the server breaks an oplock of the file to a level.
	// It is called by the goroutine that reads, so it must not wait. Nil:
	// breaks are ignored.
	OnBreak func(file smbwire.FileID, to smbwire.OplockLevel)

	// GUID identifies the client. Zero: a random one.
	GUID [16]byte
}

// defaultCredits lets eight of the largest requests be outstanding.
const defaultCredits = 1024

// cancelTime is how long a request whose context has ended waits for the
// server to say that it is canceled.
const cancelTime = 5 * time.Second

// withDefaults returns o with what its zero values stand for.
func (o Options) withDefaults() Options {
	if len(o.Dialects) == 0 {
		o.Dialects = []smbwire.Dialect{smbwire.Dialect202, smbwire.Dialect210, smbwire.Dialect300, smbwire.Dialect302, smbwire.Dialect311}
	}
	if o.Signing == nil {
		o.Signing = []smbcrypt.SigningAlgorithm{smbcrypt.AESGMAC, smbcrypt.AESCMAC, smbcrypt.HMACSHA256}
	}
	if o.Ciphers == nil {
		o.Ciphers = []smbcrypt.Cipher{smbcrypt.AES128GCM, smbcrypt.AES128CCM, smbcrypt.AES256GCM, smbcrypt.AES256CCM}
	}
	if o.Credits == 0 {
		o.Credits = defaultCredits
	}
	if o.GUID == ([16]byte{}) {
		rand.Read(o.GUID[:])
	}
	return o
}

// Dial connects to a server, "host:port", and logs in as o.Login. Closing the
// session's Conn ends all of it.
func Dial(ctx context.Context, addr string, o Options) (*Session, error) {
	c, err := Connect(ctx, addr, o)
	if err != nil {
		return nil, err
	}
	s, err := c.Login(ctx, o.Login)
	if err != nil {
		c.Close()
		return nil, err
	}
	return s, nil
}

// Connect connects to a server, "host:port", and negotiates.
func Connect(ctx context.Context, addr string, o Options) (*Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return NewConn(ctx, nc, o)
}

// NewConn negotiates over a connection, which it takes over.
func NewConn(ctx context.Context, nc net.Conn, o Options) (*Conn, error) {
	c := newConn(nc, o.withDefaults())
	if err := c.negotiate(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}
