package smb_test

import (
	"encoding/binary"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

var signings = []struct {
	name string
	o    smbclient.Options
}{
	{"HMAC", smbclient.Options{Dialects: allDialects[:2]}},
	{"CMAC of 3.0", smbclient.Options{Dialects: allDialects[:3]}},
	{"CMAC", smbclient.Options{Signing: []smbcrypt.SigningAlgorithm{smbcrypt.AESCMAC}}},
	{"HMAC of 3.1.1", smbclient.Options{Signing: []smbcrypt.SigningAlgorithm{smbcrypt.HMACSHA256}}},
	{"GMAC", smbclient.Options{Signing: []smbcrypt.SigningAlgorithm{smbcrypt.AESGMAC}}},
}

func TestSignaturesAreVerified(t *testing.T) {
	h := newHost(t, requireSigning)
	// In a frame the message begins behind the length.
	const signature, body = 4 + smbwire.HeaderSignatureOffset, 4 + smbwire.HeaderSize
	for _, tt := range signings {
		t.Run(tt.name, func(t *testing.T) {
			m := &meddler{Conn: h.socket(t)}
			s := h.loginOn(t, h.connectOver(t, m, tt.o))
			echo := func() *smbclient.Request {
				return &smbclient.Request{Command: smbwire.Logoff, Body: &smbwire.LogoffRequest{}, Session: s}
			}
			// The answers are signed as well, which the client checks.
			m.meddle(func(b []byte) { b[signature+15] ^= 0x80 }, nil)
			wantStatus(t, s.Conn(), echo(), smbwire.StatusAccessDenied)
			m.meddle(func(b []byte) { b[body+2] ^= 1 }, nil)
			wantStatus(t, s.Conn(), echo(), smbwire.StatusAccessDenied)
			m.meddle(func(b []byte) { clear(b[signature : signature+16]) }, nil)
			wantStatus(t, s.Conn(), echo(), smbwire.StatusAccessDenied)
			m.meddle(nil, nil)
			wantStatus(t, s.Conn(), echo(), smbwire.StatusOK)
		})
	}
}

func TestUnsignedRequestsAreRefused(t *testing.T) {
	h := newHost(t, requireSigning)
	s := h.login(t, smbclient.Options{})
	if !s.Signed() {
		t.Fatal("the server does not say that it requires signatures")
	}
	wantStatus(t, s.Conn(), &smbclient.Request{
		Command: smbwire.TreeConnect, Session: s, Plain: true, Body: &smbwire.TreeConnectRequest{Path: `\\h\test`},
	}, smbwire.StatusAccessDenied)
	wantAlive(t, s)
}

// The wish of one side is enough.
func TestClientMayDemandSignatures(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{RequireSigning: true})
	wantAlive(t, s) // the client checks that the answer is signed
	wantStatus(t, s.Conn(), &smbclient.Request{
		Command: smbwire.TreeConnect, Session: s, Plain: true, Body: &smbwire.TreeConnectRequest{Path: `\\h\test`},
	}, smbwire.StatusAccessDenied)
}

// Where neither side demands signatures, a request that has one gets one.
func TestSignatureIsAnsweredBySignature(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{})
	if s.Signed() {
		t.Fatal("signatures are required")
	}
	for _, sign := range []bool{true, false} {
		r, err := s.Conn().Do(t.Context(), &smbclient.Request{Command: smbwire.Echo, Session: s, Sign: sign, Body: &smbwire.EchoRequest{}})
		if err != nil {
			t.Fatal(err)
		}
		if signed := r.Header.Flags&smbwire.FlagSigned != 0; signed != sign {
			t.Errorf("request signed: %v, response signed: %v", sign, signed)
		}
		r.Free()
	}
}

// Each message of a compound has a signature of its own, over its padding too.
func TestCompoundsAreSignedPartByPart(t *testing.T) {
	h := newHost(t, requireSigning)
	m := &meddler{Conn: h.socket(t)}
	s := h.loginOn(t, h.connectOver(t, m, smbclient.Options{}))
	echo := func() *smbclient.Request {
		return &smbclient.Request{Command: smbwire.Logoff, Body: &smbwire.LogoffRequest{}, Session: s}
	}
	m.meddle(func(b []byte) {
		if next := binary.LittleEndian.Uint32(b[4+smbwire.HeaderNextCommandOffset:]); next != 0 {
			b[4+next-1] ^= 1 // the last byte of padding
		}
	}, nil)
	r, err := s.Conn().DoAll(t.Context(), echo(), echo())
	if err != nil {
		t.Fatal(err)
	}
	if r[0].Header.Status != smbwire.StatusAccessDenied || r[1].Header.Status != smbwire.StatusOK {
		t.Errorf("statuses %v and %v, want the first to be refused alone", r[0].Header.Status, r[1].Header.Status)
	}
}

func TestGuestsNeedNotSign(t *testing.T) {
	h := newHost(t, requireSigning, guests)
	c := h.connect(t, smbclient.Options{})
	s, err := c.Login(t.Context(), smbclient.Login{User: "nobody", Password: "any"})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Guest() {
		t.Error("an unknown user is no guest")
	}
	tree(t, s, "IPC$")
	// Who has no key must not claim to have one.
	wantStatus(t, c, &smbclient.Request{
		Command: smbwire.TreeConnect, Session: s, Body: &smbwire.TreeConnectRequest{Path: `\\h\IPC$`},
		Edit: func(h *smbwire.Header) { h.Flags |= smbwire.FlagSigned },
	}, smbwire.StatusAccessDenied)
}

// Somebody on the way who has an account of his own can log in on another's
// connection. What he then appends to the other's frames must not be done in
// the other's name.
func TestNobodySpeaksForAnotherSession(t *testing.T) {
	h := newHost(t, requireSigning)
	for name, appended := range map[string]func(mine *smbclient.Session) []*smbclient.Request{
		"signed with his own key": func(mine *smbclient.Session) []*smbclient.Request {
			return []*smbclient.Request{{Command: smbwire.Logoff, Body: &smbwire.LogoffRequest{}, Session: mine, Related: true}}
		},
		"behind a request of no session": func(*smbclient.Session) []*smbclient.Request {
			return []*smbclient.Request{
				{Command: smbwire.Echo, Body: &smbwire.EchoRequest{}, Edit: func(h *smbwire.Header) { h.SessionID = 12345 }},
				{Command: smbwire.Logoff, Body: &smbwire.LogoffRequest{}, Related: true, Edit: func(h *smbwire.Header) { h.Flags |= smbwire.FlagSigned }},
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			victim := h.login(t, smbclient.Options{})
			mine, err := victim.Conn().Login(t.Context(), smbclient.Login{User: "bert", Password: "secret"})
			if err != nil {
				t.Fatal(err)
			}
			frame := append([]*smbclient.Request{{Command: smbwire.Echo, Body: &smbwire.EchoRequest{}, Session: victim}}, appended(mine)...)
			calls, err := victim.Conn().Start(t.Context(), frame...)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range calls {
				<-k.Done()
			}
			wantStatus(t, victim.Conn(), &smbclient.Request{
				Command: smbwire.TreeConnect, Body: &smbwire.TreeConnectRequest{Path: `\\h\IPC$`}, Session: victim,
			}, smbwire.StatusOK)
		})
	}
}
