package spnego

import (
	"bytes"
	"errors"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/ntlm"
)

// Tokens of Windows, from the appendix of Microsoft's "SMB 2 and SMB 3
// security in Windows 10: the anatomy of signing and cryptographic keys".
const (
	windowsNegotiate = "4E544C4D5353500001000000978208E200000000000000000000000000000000060380250000000F"
	windowsInit      = `
		6048 0606 2B0601050502            # SPNEGO
		A03E 303C
		A00E 300C 060A 2B06010401823702020A  # mechTypes: NTLM
		A22A 0428 ` + windowsNegotiate
	windowsDone = `
		A11B 3019
		A003 0A01 00                      # accept-completed
		A312 0410 010000003B453CDC3524164200000000`
)

func TestInitTokenOfWindows(t *testing.T) {
	want := initToken{mechanisms: hexdump.Bytes(t, "300C060A2B06010401823702020A"), token: hexdump.Bytes(t, windowsNegotiate)}
	var got initToken
	if err := got.decode(hexdump.Bytes(t, windowsInit)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.mechanisms, want.mechanisms) || !bytes.Equal(got.token, want.token) {
		t.Errorf("decoded %+v", got)
	}
	if b := want.encode(); !bytes.Equal(b, hexdump.Bytes(t, windowsInit)) {
		t.Errorf("encoded %x", b)
	}
	if !bytes.Equal(listOf(oidNTLM), want.mechanisms) {
		t.Errorf("listOf = %x", listOf(oidNTLM))
	}
}

func TestRespTokenOfWindows(t *testing.T) {
	want := respToken{state: stateCompleted, mic: hexdump.Bytes(t, "010000003B453CDC3524164200000000")}
	var got respToken
	if err := got.decode(hexdump.Bytes(t, windowsDone)); err != nil {
		t.Fatal(err)
	}
	if got.state != want.state || got.mechanism != nil || got.token != nil || !bytes.Equal(got.mic, want.mic) {
		t.Errorf("decoded %+v", got)
	}
	if b := want.encode(); !bytes.Equal(b, hexdump.Bytes(t, windowsDone)) {
		t.Errorf("encoded %x", b)
	}
}

// What Windows Server 2022 sends, but for the mechanisms it has beside NTLM.
func TestHint(t *testing.T) {
	want := hexdump.Bytes(t, `
		6048 0606 2B0601050502
		A03E 303C
		A00E 300C 060A 2B06010401823702020A
		A32A 3028 A026 1B24               # negHints, hintName
		6E6F745F646566696E65645F696E5F5246433431373840706C656173655F69676E6F7265`)
	if !bytes.Equal(Hint(), want) {
		t.Errorf("Hint = %x, want %x", Hint(), want)
	}
	var m initToken
	if err := m.decode(Hint()); err != nil {
		t.Errorf("decode: %v", err)
	}
}

func TestMalformedTokens(t *testing.T) {
	for _, tt := range []struct{ name, init, resp string }{
		{name: "empty"},
		{name: "tag alone", init: "60", resp: "a1"},
		{name: "length beyond the token", init: "6010 0606 2b0601050502", resp: "a110 3000"},
		{name: "not SPNEGO", init: "6008 0606 2b0601050503", resp: "a001 00"},
		{name: "bytes behind", init: windowsInit + "00", resp: windowsDone + "00"},
		{name: "state that is no enumeration", resp: "a107 3005 a003 0401 00"},
		{name: "token that is no string", resp: "a107 3005 a203 0201 00"},
		{name: "field of a later version", resp: "a107 3005 a703 0401 00"},
		{name: "no list", init: "600c 0606 2b0601050502 a002 3000"},
	} {
		var i initToken
		if err := i.decode(hexdump.Bytes(t, tt.init)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: NegTokenInit decoded: %v", tt.name, err)
		}
		var r respToken
		if err := r.decode(hexdump.Bytes(t, tt.resp)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: NegTokenResp decoded: %v", tt.name, err)
		}
	}
}

type accounts struct{}

func (accounts) NTHash(user, _ string) ([16]byte, error) {
	if user == "ann" {
		return ntlm.Hash("secret"), nil
	}
	return [16]byte{}, ntlm.ErrUnknownUser
}

func newAcceptor() *Acceptor {
	return NewAcceptor(&ntlm.Server{Name: "FILES", Accounts: accounts{}, Guests: true})
}

func newInitiator(user, password string) *Initiator {
	return NewInitiator(&ntlm.Initiator{User: user, Hash: ntlm.Hash(password)})
}

func TestLogin(t *testing.T) {
	for _, tt := range []struct {
		user             string
		guest, anonymous bool
	}{
		{user: "ann"},
		{user: "stranger", guest: true},
		{user: "", anonymous: true},
	} {
		a, i := newAcceptor(), newInitiator(tt.user, "secret")
		token, done := Hint(), false
		for step := 0; !done; step++ {
			out, _, err := i.Step(token)
			if err != nil {
				t.Fatalf("%q, client's step %d: %v", tt.user, step, err)
			}
			if token, done, err = a.Accept(out); err != nil {
				t.Fatalf("%q, server's step %d: %v", tt.user, step, err)
			}
		}
		if _, done, err := i.Step(token); err != nil || !done {
			t.Errorf("%q: client's last step: %v, %v", tt.user, done, err)
		}
		s := a.Session()
		if s == nil || s.User != tt.user || s.Guest != tt.guest || s.Anonymous != tt.anonymous {
			t.Errorf("%q: session %+v", tt.user, s)
		}
		if !tt.guest && s.Key != i.Session().Key {
			t.Errorf("%q: the keys differ", tt.user)
		}
		if m := []byte("secret"); s.CanSign() {
			sig := i.Session().Seal(m, m)
			if !s.Unseal(m, m, sig) || string(m) != "secret" {
				t.Errorf("%q: unsealed %q", tt.user, m)
			}
		}
		if _, _, err := a.Accept(token); !errors.Is(err, ErrOrder) {
			t.Errorf("%q: a token after the end: %v", tt.user, err)
		}
	}
}

func TestBareNTLM(t *testing.T) {
	a := newAcceptor()
	i := ntlm.Initiator{User: "ann", Hash: ntlm.Hash("secret")}
	reply, done, err := a.Accept(i.Negotiate())
	if err != nil || done {
		t.Fatalf("Accept = %v, %v", done, err)
	}
	proof, err := i.Authenticate(reply)
	if err != nil {
		t.Fatal(err)
	}
	reply, done, err = a.Accept(proof)
	if err != nil || !done || reply != nil || a.Session().Key != i.Session().Key {
		t.Errorf("Accept = %x, %v, %v", reply, done, err)
	}
}

// A client that would rather use Kerberos has its token for that ignored, is
// asked for NTLM and sends a MIC over its whole list.
func TestFirstMechanismIsAnother(t *testing.T) {
	list := hexdump.Bytes(t, `
		3017
		0609 2A864886F712010202           # Kerberos
		060A 2B06010401823702020A         # NTLM`)
	a := newAcceptor()
	m := initToken{mechanisms: list, token: []byte("for Kerberos")}
	reply, done, err := a.Accept(m.encode())
	if err != nil || done {
		t.Fatalf("Accept = %v, %v", done, err)
	}
	if want := hexdump.Bytes(t, "A115 3013 A003 0A01 03 A10C 060A 2B06010401823702020A"); !bytes.Equal(reply, want) {
		t.Errorf("reply = %x, want %x", reply, want)
	}

	i := ntlm.Initiator{User: "ann", Hash: ntlm.Hash("secret")}
	reply, _, err = a.Accept((&respToken{state: stateAbsent, token: i.Negotiate()}).encode())
	if err != nil {
		t.Fatal(err)
	}
	var r respToken
	if err := r.decode(reply); err != nil {
		t.Fatal(err)
	}
	proof, err := i.Authenticate(r.token)
	if err != nil {
		t.Fatal(err)
	}
	reply, done, err = a.Accept((&respToken{state: stateAbsent, token: proof, mic: i.Session().Sign(list)}).encode())
	if err != nil || !done {
		t.Fatalf("Accept = %v, %v", done, err)
	}
	if err := r.decode(reply); err != nil || !i.Session().Verify(list, r.mic) {
		t.Errorf("server's MIC %x, %v", r.mic, err)
	}
}

func TestListChangedOnTheWay(t *testing.T) {
	a, i := newAcceptor(), newInitiator("ann", "secret")
	out, _, _ := i.Step(nil)
	token, _, _ := a.Accept(out)
	a.mechanisms = listOf(oidSPNEGO)
	out, _, _ = i.Step(token)
	if _, done, err := a.Accept(out); !errors.Is(err, ErrMIC) || done || a.Session() != nil {
		t.Errorf("Accept = %v, %v, session %v", done, err, a.Session())
	}
	if _, _, err := a.Accept(out); !errors.Is(err, ErrOrder) {
		t.Errorf("again: %v", err)
	}
}

func TestServerWithoutNTLM(t *testing.T) {
	_, _, err := newAcceptor().Accept((&initToken{mechanisms: listOf(oidSPNEGO)}).encode())
	if !errors.Is(err, ErrNoMechanism) {
		t.Errorf("client without NTLM: %v", err)
	}
	i := newInitiator("ann", "secret")
	i.Step(nil)
	if _, _, err := i.Step((&respToken{state: stateRejected}).encode()); !errors.Is(err, ErrRefused) {
		t.Errorf("server that refuses: %v", err)
	}
}

func TestWrongPasswordIsTheMechanismsError(t *testing.T) {
	a, i := newAcceptor(), newInitiator("ann", "guess")
	out, _, _ := i.Step(nil)
	token, _, _ := a.Accept(out)
	out, _, _ = i.Step(token)
	if _, _, err := a.Accept(out); !errors.Is(err, ntlm.ErrWrongPassword) {
		t.Errorf("Accept: %v", err)
	}
}

func FuzzAccept(f *testing.F) {
	f.Add(hexdump.Bytes(f, windowsInit), hexdump.Bytes(f, windowsDone))
	f.Add(Hint(), (&respToken{state: stateAbsent, token: []byte("NTLMSSP\x00\x03\x00\x00\x00")}).encode())
	f.Add([]byte{}, []byte{0x60, 0x84, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a := newAcceptor()
		a.Accept(first)
		a.Accept(second)
		if s := a.Session(); s != nil && !s.Anonymous && !s.Guest {
			t.Fatalf("logged in as %+v with %x and %x", s, first, second)
		}
	})
}
