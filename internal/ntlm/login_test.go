package ntlm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

var errDisabled = errors.New("user is disabled")

func testServer() *Server {
	return &Server{Name: "FILES", Accounts: account{"Änne", Hash("s3cret")}}
}

// login runs both sides; change may alter the messages on their way.
func login(s *Server, i *Initiator, change func(kind uint32, m []byte) []byte) (*Session, error) {
	if change == nil {
		change = func(_ uint32, m []byte) []byte { return m }
	}
	a := s.NewAcceptor()
	c, err := a.Accept(change(typeNegotiate, bytes.Clone(i.Negotiate())))
	if err != nil {
		return nil, err
	}
	m, err := i.Authenticate(change(typeChallenge, bytes.Clone(c)))
	if err != nil {
		return nil, err
	}
	_, err = a.Accept(change(typeAuthenticate, bytes.Clone(m)))
	return a.Session(), err
}

func TestLogin(t *testing.T) {
	i := &Initiator{User: "äNNE", Domain: "WORK", Workstation: "DESK", Hash: Hash("s3cret")}
	s, err := login(testServer(), i, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.User != "äNNE" || s.Domain != "WORK" || s.Workstation != "DESK" || s.Guest || s.Anonymous {
		t.Errorf("session = %+v", s)
	}
	c := i.Session()
	if s.Key != c.Key || s.Key == [16]byte{} {
		t.Errorf("keys: server %x, client %x", s.Key, c.Key)
	}
	for range 3 { // signatures are a sequence
		m := []byte("list of mechanisms")
		if sig := c.Sign(m); !s.Verify(m, sig) {
			t.Error("server does not verify the client's signature")
		}
		sig := s.Sign(m)
		if !c.Verify(m, sig) {
			t.Error("client does not verify the server's signature")
		}
		if s.Verify(m, sig) {
			t.Error("a signature reflected to its sender is verified")
		}
		c.Sign(m) // the reflected one took a number
	}
	for range 3 { // what is between head and tail is secret
		m := []byte("head secret tail")
		sig := c.Seal(m, m[5:11])
		if bytes.Contains(m, []byte("secret")) || !bytes.HasPrefix(m, []byte("head ")) {
			t.Errorf("sealed = %q", m)
		}
		if !s.Unseal(m, m[5:11], sig) || string(m) != "head secret tail" {
			t.Errorf("unsealed = %q", m)
		}
	}
	m := []byte("head secret tail")
	sig := s.Seal(m, m[5:11])
	m[0]++
	if c.Unseal(m, m[5:11], sig) {
		t.Error("a change of what is not secret is not seen")
	}
}

func TestRefusedLogins(t *testing.T) {
	zero := func(off, n int) func([]byte) []byte {
		return func(m []byte) []byte { clear(m[off : off+n]); return m }
	}
	for _, tt := range []struct {
		name     string
		user     string
		password string
		guests   bool
		kind     uint32
		change   func([]byte) []byte
		want     error
	}{
		{name: "wrong password", user: "Änne", password: "secret", want: ErrWrongPassword},
		{name: "wrong password is no guest", user: "Änne", password: "secret", guests: true, want: ErrWrongPassword},
		{name: "unknown user", user: "Anne", password: "s3cret", want: ErrUnknownUser},
		{name: "refused by the accounts", user: "disabled", password: "s3cret", want: errDisabled},
		{name: "refused by the accounts is no guest", user: "disabled", guests: true, want: errDisabled},
		{
			name: "client without Unicode", user: "Änne", password: "s3cret", want: ErrCapabilities,
			kind: typeNegotiate, change: func(m []byte) []byte { m[12] &^= byte(flagUnicode); return m },
		},
		{
			name: "client without extended security", user: "Änne", password: "s3cret", want: ErrCapabilities,
			kind: typeNegotiate, change: func(m []byte) []byte { m[14] &^= byte(flagExtendedSecurity >> 16); return m },
		},
		{
			name: "extended security dropped at the end", user: "Änne", password: "s3cret", want: ErrCapabilities,
			kind: typeAuthenticate, change: func(m []byte) []byte { m[62] &^= byte(flagExtendedSecurity >> 16); return m },
		},
		{
			name: "flags changed on the way to the server", user: "Änne", password: "s3cret", want: ErrMIC,
			kind: typeNegotiate, change: func(m []byte) []byte { m[12] &^= byte(flagSeal); return m },
		},
		{
			name: "MIC taken out", user: "Änne", password: "s3cret", want: ErrMIC,
			kind: typeAuthenticate, change: zero(micOffset, micSize),
		},
		{
			name: "session key replaced", user: "Änne", password: "s3cret", want: ErrMIC,
			kind: typeAuthenticate, change: func(m []byte) []byte { m[len(m)-1]++; return m },
		},
		{
			name: "session key taken out", user: "Änne", password: "s3cret", want: ErrMalformed,
			kind: typeAuthenticate, change: zero(52, 2),
		},
		{
			name: "NT response taken out", user: "Änne", password: "s3cret", want: ErrNoProof,
			kind: typeAuthenticate, change: zero(20, 2),
		},
		{
			name: "NTLMv1", user: "Änne", password: "s3cret", want: ErrWeak,
			kind: typeAuthenticate, change: func(m []byte) []byte { m[20] = 24; m[21] = 0; return m },
		},
		{
			name: "NT response too short", user: "Änne", password: "s3cret", want: ErrMalformed,
			kind: typeAuthenticate, change: func(m []byte) []byte { m[20] = 43; m[21] = 0; return m },
		},
		{
			name: "offset beyond the message", user: "Änne", password: "s3cret", want: ErrMalformed,
			kind: typeAuthenticate, change: func(m []byte) []byte { m[27] = 0xff; return m },
		},
		{
			name: "cut", user: "Änne", password: "s3cret", want: ErrMalformed,
			kind: typeAuthenticate, change: func(m []byte) []byte { return m[:64] },
		},
		{
			name: "too long", user: "Änne", password: "s3cret", want: ErrMalformed,
			kind: typeAuthenticate, change: func(m []byte) []byte { return append(m, make([]byte, maxMessage)...) },
		},
		{
			name: "NEGOTIATE twice", user: "Änne", password: "s3cret", want: ErrMalformed,
			kind: typeAuthenticate, change: func([]byte) []byte { return (&Initiator{}).Negotiate() },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testServer()
			s.Guests = tt.guests
			i := &Initiator{User: tt.user, Hash: Hash(tt.password)}
			session, err := login(s, i, func(kind uint32, m []byte) []byte {
				if kind == tt.kind {
					return tt.change(m)
				}
				return m
			})
			if !errors.Is(err, tt.want) || session != nil {
				t.Errorf("login = %+v, %v; want the error %v", session, err, tt.want)
			}
		})
	}
}

func TestLogonErrorTellsWhoItWas(t *testing.T) {
	i := &Initiator{User: "Änne", Domain: "WORK", Workstation: "DESK", Hash: Hash("wrong")}
	_, err := login(testServer(), i, nil)
	e, ok := errors.AsType[*LogonError](err)
	if !ok || e.User != "Änne" || e.Domain != "WORK" || e.Workstation != "DESK" {
		t.Errorf("error = %#v", err)
	}
}

func TestGuestAndAnonymous(t *testing.T) {
	s := testServer()
	s.Guests = true
	got, err := login(s, &Initiator{User: "stranger", Hash: Hash("whatever")}, nil)
	if err != nil || !got.Guest || got.Anonymous || got.User != "stranger" || got.CanSign() {
		t.Errorf("unknown user = %+v, %v; want a guest that can't sign", got, err)
	}
	for _, s.Guests = range []bool{false, true} {
		got, err = login(s, &Initiator{}, nil)
		if err != nil || !got.Anonymous || got.Guest || got.CanSign() {
			t.Errorf("nobody = %+v, %v; want an anonymous session", got, err)
		}
	}
}

// Without a MIC, as from clients that got no time from the server, the proof
// alone counts.
func TestLoginWithoutMIC(t *testing.T) {
	i := &Initiator{User: "Änne", Hash: Hash("s3cret")}
	withoutTime := func(kind uint32, m []byte) []byte {
		if kind == typeChallenge {
			at := bytes.LastIndex(m, []byte{byte(avTimestamp), 0, 8, 0})
			m = append(m[:at], 0, 0, 0, 0)
			binary.LittleEndian.PutUint16(m[40:], binary.LittleEndian.Uint16(m[40:])-12)
		}
		return m
	}
	s, err := login(testServer(), i, withoutTime)
	if err != nil || s.Key != i.Session().Key {
		t.Errorf("login = %+v, %v", s, err)
	}
}

func TestAcceptAfterTheEnd(t *testing.T) {
	a := testServer().NewAcceptor()
	i := &Initiator{User: "Änne", Hash: Hash("s3cret")}
	c, _ := a.Accept(i.Negotiate())
	m, _ := i.Authenticate(c)
	if _, err := a.Accept(m); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Accept(m); !errors.Is(err, ErrOrder) {
		t.Errorf("a login after the login: %v", err)
	}
}

func TestChallengesDiffer(t *testing.T) {
	seen := map[[8]byte]bool{}
	for range 100 {
		a := testServer().NewAcceptor()
		if _, err := a.Accept((&Initiator{}).Negotiate()); err != nil {
			t.Fatal(err)
		}
		seen[a.nonce] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d different challenges of 100", len(seen))
	}
}

// FuzzAcceptor sends a stranger's messages to a server. None of them knows the
// password.
func FuzzAcceptor(f *testing.F) {
	negotiate := (&Initiator{}).Negotiate()
	f.Add(negotiate, hexdump.Bytes(f, windowsAuthenticate))
	f.Add(hexdump.Bytes(f, windowsNegotiate), []byte(signature+"\x03\x00\x00\x00"))
	f.Add(negotiate, []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a := testServer().NewAcceptor()
		if _, err := a.Accept(first); err != nil {
			a.Accept(negotiate)
		}
		_, err := a.Accept(second)
		if s := a.Session(); s != nil && !s.Anonymous {
			t.Fatalf("logged in as %+v with %x", s, second)
		} else if s == nil && err == nil {
			t.Fatal("neither a session nor an error")
		}
	})
}

func FuzzInitiator(f *testing.F) {
	f.Add(hexdump.Bytes(f, windowsChallenge))
	f.Fuzz(func(t *testing.T, message []byte) {
		i := Initiator{User: "u"}
		i.Negotiate()
		if _, err := i.Authenticate(message); err == nil && i.Session() == nil {
			t.Fatal("neither a session nor an error")
		}
	})
}

// A client tells the version of its system only where it says that it does.
func TestVersionOfTheClient(t *testing.T) {
	with := (&negotiate{flags: flagsRequired | flagVersion}).encode()
	copy(with[versionOffset:], []byte{10, 0, 0x67, 0x58, 0, 0, 0, 15})
	without := (&negotiate{flags: flagsRequired}).encode()
	for _, tt := range []struct {
		name    string
		message []byte
		want    Version
	}{
		{"Windows 11", with, Version{Major: 10, Build: 22631}},
		{"without the flag", without, Version{}},
		{"without room for it", with[:versionOffset], Version{}},
	} {
		var m negotiate
		if err := m.decode(tt.message); err != nil || m.version != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, m.version, err, tt.want)
		}
	}
}
