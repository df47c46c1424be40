package rpc

import (
	"bytes"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/ntlm"
)

// people are the accounts of a machine with two of each.
type people struct{}

func (people) UserName(uid uint32) (string, bool) {
	name, ok := map[uint32]string{0: "root", 1000: "ann", 1 << 31: "huge"}[uid]
	return name, ok
}

func (people) GroupName(gid uint32) (string, bool) {
	name, ok := map[uint32]string{0: "root", 100: "users"}[gid]
	return name, ok
}

func (people) UserID(name string) (uint32, bool) {
	uid, ok := map[string]uint32{"root": 0, "ann": 1000, "huge": 1 << 31}[name]
	return uid, ok
}

func (people) GroupID(name string) (uint32, bool) {
	gid, ok := map[string]uint32{"root": 0, "users": 100}[name]
	return gid, ok
}

func testEnv() Env {
	return Env{
		Name: "FILES", User: "ann", Machine: [3]uint32{1, 2, 3}, Accounts: people{},
		Shares:         func() []Share { return []Share{{"Films", "to watch"}, {"Über", ""}} },
		Login:          func() Login { return &annsLogin{(&ntlm.Server{Name: "FILES", Accounts: ann{}}).NewAcceptor()} },
		ChangePassword: annsPassword,
	}
}

// ann is a list of users with one.
type ann struct{}

func (ann) NTHash(user, _ string) ([16]byte, error) {
	if user != "ann" {
		return [16]byte{}, ntlm.ErrUnknownUser
	}
	return ntlm.Hash("Secret77"), nil
}

// annsLogin is a login with bare NTLM.
type annsLogin struct{ *ntlm.Acceptor }

func (l *annsLogin) Accept(token []byte) ([]byte, *ntlm.Session, error) {
	answer, err := l.Acceptor.Accept(token)
	return answer, l.Session(), err
}

// annsPassword lets ann change her password, which stays as it is, to one that
// is long enough.
func annsPassword(user string, n NewPassword) uint32 {
	if user != "ann" {
		return statusAccessDenied
	}
	if a, ok := n.(*aesPassword); ok && a.iterations > 2*minIterations {
		return statusInvalidParameter // a fuzzer has no time for a second each
	}
	password, right := n.Open(ntlm.Hash("Secret77"))
	switch {
	case !right:
		return 0xC000006A // STATUS_WRONG_PASSWORD
	case len(password) < 8:
		return statusPasswordRestriction
	}
	return statusOK
}

// client speaks to a pipe as a client does.
type client struct {
	t    testing.TB
	pipe *Pipe
	call uint32
}

func open(t testing.TB, name string) *client {
	t.Helper()
	p, err := Open(name, testEnv())
	if err != nil {
		t.Fatal(err)
	}
	return &client{t: t, pipe: p}
}

// packet makes a packet of a body.
func packet(kind packetType, flags uint8, call uint32, body []byte) []byte {
	w := cursor.NewWriter(nil)
	h := header{kind: kind, flags: flags, length: headerSize + len(body), call: call}
	h.encode(w)
	w.Bytes(body)
	return w.Message()
}

// proposals makes the body of BIND or ALTER_CONTEXT for one context.
func proposals(id uint16, i syntax, transfer ...syntax) []byte {
	w := cursor.NewWriter(nil)
	w.U16(ourFragment)
	w.U16(ourFragment)
	w.U32(0)
	w.U32(1)
	w.U16(id)
	w.U16(uint16(len(transfer)))
	i.encode(w)
	for _, s := range transfer {
		s.encode(w)
	}
	return w.Message()
}

// arguments makes the body of a request in context 0.
func arguments(operation uint16, stub []byte) []byte {
	w := cursor.NewWriter(nil)
	w.U32(uint32(len(stub)))
	w.U16(0)
	w.U16(operation)
	w.Bytes(stub)
	return w.Message()
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if err := c.pipe.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// read returns the next packet.
func (c *client) read() (h header, body []byte) {
	c.t.Helper()
	b, more := c.pipe.Read(1 << 16)
	if more {
		c.t.Error("more of a packet than its size")
	}
	r := cursor.NewReader(b)
	h.decode(r)
	if r.Err() != nil || h.length != len(b) {
		c.t.Fatalf("packet %x: %v", b, r.Err())
	}
	return h, r.Rest()
}

func (c *client) bind() *client {
	c.t.Helper()
	c.write(packet(packetBind, flagFirst|flagLast, 1, proposals(0, c.pipe.ifaces[0].id, syntaxNDR)))
	if h, body := c.read(); h.kind != packetBindAck {
		c.t.Fatalf("answer to bind: %+v %x", h, body)
	}
	return c
}

// do makes a call and returns its results, or the fault.
func (c *client) do(operation uint16, stub []byte) ([]byte, error) {
	c.t.Helper()
	c.call++
	c.write(packet(packetRequest, flagFirst|flagLast, c.call, arguments(operation, stub)))
	var results []byte
	for {
		h, body := c.read()
		switch {
		case h.call != c.call:
			c.t.Fatalf("answer to call %d, want %d", h.call, c.call)
		case h.kind == packetFault:
			return nil, fault(cursor.NewReader(body[8:]).U32())
		case h.kind != packetResponse:
			c.t.Fatalf("answer of type %d", h.kind)
		}
		results = append(results, body[8:]...)
		if h.flags&flagLast != 0 {
			return results, nil
		}
	}
}

// must is do for calls that succeed.
func (c *client) must(operation uint16, stub []byte) []byte {
	c.t.Helper()
	results, err := c.do(operation, stub)
	if err != nil {
		c.t.Fatalf("operation %d: %v", operation, err)
	}
	return results
}

func equal(t testing.TB, what string, got []byte, want string) {
	t.Helper()
	if w := hexdump.Bytes(t, want); !bytes.Equal(got, w) {
		t.Errorf("%s =\n%x, want\n%x", what, got, w)
	}
}
