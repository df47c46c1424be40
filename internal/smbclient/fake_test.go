package smbclient

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/spnego"
)

// fake is a server whose answers a test writes down. It knows how to negotiate
// and to log a user in; the test does the rest.
type fake struct {
	t       *testing.T
	nc      net.Conn
	answer  smbwire.NegotiateResponse // what NEGOTIATE is answered with
	flags   smbwire.SessionFlags      // of the login
	grant   uint16                    // credits in each response
	preauth smbcrypt.PreauthHash
	signer  smbcrypt.Signer
	mangle  func(command smbwire.Command, message []byte) // a response, before it is hashed, signed and sent
	tamper  func(command smbwire.Command, message []byte) // a response, after that
}

// message is a request as the fake got it.
type message struct {
	smbwire.Header
	bytes []byte
}

func (m *message) decode(t *testing.T, d Decoder) {
	t.Helper()
	r := cursor.NewReader(m.bytes)
	r.Seek(smbwire.HeaderSize)
	if d.Decode(r); r.Err() != nil {
		t.Errorf("%v: %v", m.Command, r.Err())
	}
}

type hashes struct{}

func (hashes) NTHash(user, _ string) ([16]byte, error) {
	if user == "tester" {
		return ntlm.Hash("secret"), nil
	}
	return [16]byte{}, ntlm.ErrUnknownUser
}

var tester = Login{User: "tester", Password: "secret"}

// newFake returns a fake that speaks a dialect, and the client's end.
func newFake(t *testing.T, d smbwire.Dialect) (*fake, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	server.SetDeadline(time.Now().Add(20 * time.Second))
	t.Cleanup(func() { server.Close(); client.Close() })
	f := &fake{t: t, nc: server, grant: 32}
	f.answer = smbwire.NegotiateResponse{
		SecurityMode:    smbwire.SigningEnabled | smbwire.SigningRequired,
		DialectRevision: d,
		ServerGUID:      [16]byte{1, 2, 3},
		Capabilities:    smbwire.CapLargeMTU,
		MaxTransactSize: 1 << 20, MaxReadSize: 1 << 20, MaxWriteSize: 1 << 20,
		SecurityBuffer: spnego.Hint(),
	}
	if d == smbwire.Dialect311 {
		f.answer.Contexts.Preauth = &smbwire.PreauthIntegrity{Hashes: []uint16{smbwire.HashSHA512}, Salt: make([]byte, 32)}
		f.answer.Contexts.Signing = []smbwire.SigningAlgorithm{smbwire.SigningAESGMAC}
	}
	return f, client
}

// next reads the next request.
func (f *fake) next() *message {
	var length [4]byte
	if _, err := io.ReadFull(f.nc, length[:]); err != nil {
		return nil
	}
	m := &message{bytes: make([]byte, binary.BigEndian.Uint32(length[:]))}
	if _, err := io.ReadFull(f.nc, m.bytes); err != nil {
		return nil
	}
	m.Header.Decode(cursor.NewReader(m.bytes))
	if f.signer != nil && m.Flags&smbwire.FlagSigned != 0 && m.NextCommand == 0 && !f.signer.Verify(m.bytes) {
		f.t.Errorf("%v has a wrong signature", m.Command)
	}
	return m
}

// expect reads the next request, which must be of a command.
func (f *fake) expect(c smbwire.Command) *message {
	m := f.next()
	if m == nil {
		f.t.Errorf("the client went away instead of sending %v", c)
		return &message{}
	}
	if m.Command != c {
		f.t.Errorf("the client sent %v instead of %v", m.Command, c)
	}
	return m
}

// header is that of an answer to m.
func (f *fake) header(m *message, status smbwire.Status) smbwire.Header {
	h := m.Header
	h.Status, h.Credits, h.Signature, h.NextCommand = status, f.grant, [16]byte{}, 0
	h.Flags = h.Flags&^smbwire.FlagSigned | smbwire.FlagResponse
	return h
}

// reply answers m.
func (f *fake) reply(m *message, status smbwire.Status, body Encoder) []byte {
	return f.send(f.header(m, status), body)
}

// send sends one response, signed when there is a key, and returns it.
func (f *fake) send(h smbwire.Header, body Encoder) []byte {
	w := cursor.NewWriter(nil)
	h.Encode(w)
	body.Encode(w)
	b := w.Message()
	if f.mangle != nil {
		f.mangle(h.Command, b)
	}
	if f.signer != nil && h.Status != smbwire.StatusPending && h.MessageID != smbwire.NoMessageID {
		f.signer.Sign(b)
	}
	if f.tamper != nil {
		f.tamper(h.Command, b)
	}
	f.frame(b)
	return b
}

// frame sends bytes with their length.
func (f *fake) frame(b []byte) {
	f.nc.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
}

// negotiate answers NEGOTIATE and returns the request.
func (f *fake) negotiate() smbwire.NegotiateRequest {
	m := f.expect(smbwire.Negotiate)
	var request smbwire.NegotiateRequest
	m.decode(f.t, &request)
	f.preauth.Update(m.bytes)
	f.preauth.Update(f.reply(m, smbwire.StatusOK, &f.answer))
	return request
}

// login answers the two rounds of SESSION_SETUP.
func (f *fake) login() {
	server := &ntlm.Server{Name: "FAKE", Accounts: hashes{}, Guests: true}
	acceptor := spnego.NewAcceptor(server)
	var id [8]byte
	rand.Read(id[:])
	for {
		m := f.expect(smbwire.SessionSetup)
		m.SessionID = binary.LittleEndian.Uint64(id[:])
		var request smbwire.SessionSetupRequest
		m.decode(f.t, &request)
		f.preauth.Update(m.bytes)
		token, done, err := acceptor.Accept(request.SecurityBuffer)
		switch {
		case err != nil:
			f.reply(m, smbwire.StatusLogonFailure, &smbwire.ErrorResponse{})
			return
		case !done:
			f.preauth.Update(f.reply(m, smbwire.StatusMoreProcessingRequired, &smbwire.SessionSetupResponse{SecurityBuffer: token}))
			continue
		}
		if !acceptor.Session().Guest && f.flags&smbwire.SessionIsGuest == 0 {
			signing := smbcrypt.HMACSHA256
			if f.answer.DialectRevision >= smbwire.Dialect300 {
				signing = smbcrypt.AESCMAC
			}
			if f.answer.Contexts.Signing != nil {
				signing = smbcrypt.SigningAlgorithm(f.answer.Contexts.Signing[0])
			}
			key := acceptor.Session().Key
			keys := smbcrypt.DeriveKeys(smbcrypt.Dialect(f.answer.DialectRevision), key[:], &f.preauth, 0)
			f.signer, _ = smbcrypt.NewSigner(signing, keys.Signing)
		}
		f.reply(m, smbwire.StatusOK, &smbwire.SessionSetupResponse{SessionFlags: f.flags, SecurityBuffer: token})
		return
	}
}

// tree answers TREE_CONNECT.
func (f *fake) tree() {
	m := f.expect(smbwire.TreeConnect)
	m.TreeID = 7
	f.reply(m, smbwire.StatusOK, &smbwire.TreeConnectResponse{ShareType: smbwire.ShareDisk})
}

// connect plays the server up to a connected tree, then play, and returns the
// client's tree.
func connect(t *testing.T, o Options, play func(*fake)) *Tree {
	t.Helper()
	f, nc := newFake(t, smbwire.Dialect311)
	return connectTo(t, f, nc, o, play)
}

func connectTo(t *testing.T, f *fake, nc net.Conn, o Options, play func(*fake)) *Tree {
	t.Helper()
	played := make(chan struct{})
	go func() {
		defer close(played)
		f.negotiate()
		f.login()
		f.tree()
		play(f)
	}()
	c, err := NewConn(t.Context(), nc, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); f.nc.Close(); <-played })
	s, err := c.Login(t.Context(), tester)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Tree(t.Context(), "share")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// within is a context that ends a test which hangs.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
