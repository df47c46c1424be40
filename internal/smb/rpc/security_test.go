package rpc

import (
	"bytes"
	"errors"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/ntlm"
)

// secured is a client whose pipe has a login of its own.
type secured struct {
	*client
	initiator ntlm.Initiator
	security  security // as the client sees it
}

// withVerifier appends a verifier with a token to a packet.
func (s *secured) withVerifier(b []byte, pad int, token []byte) []byte {
	w := cursor.NewWriter(b)
	s.security.trailer(w, pad)
	b = append(w.Buffer(), token...)
	b[8], b[9] = byte(len(b)), byte(len(b)>>8)
	b[10], b[11] = byte(len(token)), byte(len(token)>>8)
	return b
}

// login binds to samr with a login of a level.
func login(t testing.TB, level uint8, password string) *secured {
	t.Helper()
	s := &secured{client: open(t, "samr"), security: security{kind: loginNTLM, level: level, context: 7}}
	s.initiator = ntlm.Initiator{User: "ann", Hash: ntlm.Hash(password)}
	bind := packet(packetBind, flagFirst|flagLast|flagSignHeader, 1, proposals(0, samr.id, syntaxNDR))
	s.write(s.withVerifier(bind, 0, s.initiator.Negotiate()))
	b, _ := s.pipe.Read(1 << 16)
	var h header
	h.decode(cursor.NewReader(b))
	v, err := h.verifier(b)
	if err != nil || v == nil || h.kind != packetBindAck || h.flags&flagSignHeader == 0 || !s.security.covers(v) {
		t.Fatalf("answer to bind %+v %+v, %v", h, v, err)
	}
	token, err := s.initiator.Authenticate(v.token)
	if err != nil {
		t.Fatal(err)
	}
	s.write(s.withVerifier(append(packet(packetAuth3, flagFirst|flagLast, 1, nil), 0, 0, 0, 0), 0, token))
	s.security.session = s.initiator.Session()
	return s
}

// request makes the packet of a call, protected as the login says.
func (s *secured) request(operation uint16, stub []byte) []byte {
	s.call++
	b := packet(packetRequest, flagFirst|flagLast, s.call, arguments(operation, stub))
	pad := -len(b) & 3
	b = s.withVerifier(append(b, make([]byte, pad)...), pad, make([]byte, signatureSize))
	s.security.protect(b)
	return b
}

// results reads the results of a call, or the fault.
func (s *secured) results() ([]byte, error) {
	s.t.Helper()
	var all []byte
	for {
		b, _ := s.pipe.Read(1 << 16)
		var h header
		h.decode(cursor.NewReader(b))
		if h.kind == packetFault {
			return nil, fault(cursor.NewReader(b[bodyOffset:]).U32())
		}
		v, err := h.verifier(b)
		if err != nil || v == nil || len(b) > ourFragment {
			s.t.Fatalf("answer %+v of %d bytes, %v", h, len(b), err)
		}
		end, refusal := s.security.open(&h, b, v)
		if refusal != 0 {
			s.t.Fatal(refusal)
		}
		all = append(all, b[bodyOffset:end]...)
		if h.flags&flagLast != 0 {
			return all, nil
		}
	}
}

func TestProtectedCalls(t *testing.T) {
	for _, level := range []uint8{levelSigned, levelSealed} {
		s := login(t, level, "Secret77")
		for range 3 {
			stub := newPassword("ann", "Secret77", "Another88")
			b := s.request(55, stub)
			if secret := !bytes.Contains(b, stub[100:200]); secret != (level == levelSealed) {
				t.Errorf("level %d: arguments are secret: %v", level, secret)
			}
			s.write(b)
			got, err := s.results()
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "status", got, "00000000")
		}
		// Many packets there and back.
		names := hexdump.Bytes(t, "00040000 00040000 00000000 00040000")
		for range maxLookup {
			names = append(names, hexdump.Bytes(t, "0000 0000 00000000")...)
		}
		s.pipe.handles = []uuid{{}}
		s.write(s.request(17, append(make([]byte, 20), names...)))
		if got, err := s.results(); err != nil || len(got) != 2*(12+4*maxLookup)+4 {
			t.Errorf("level %d: %d bytes, %v", level, len(got), err)
		}
	}
}

// What was changed on its way, or is not protected at all, is refused, and the
// pipe is of no more use.
func TestUnprotectedCallsAreRefused(t *testing.T) {
	plain := func(s *secured) []byte {
		return packet(packetRequest, flagFirst|flagLast, 1, arguments(56, hexdump.Bytes(t, "00000000")))
	}
	for _, tt := range []struct {
		name  string
		level uint8
		bytes func(s *secured) []byte
		want  fault
	}{
		{"not protected", levelSealed, plain, faultAccessDenied},
		{"header changed", levelSigned, func(s *secured) []byte { b := s.request(56, make([]byte, 4)); b[22]++; return b }, faultAccessDenied},
		{"arguments changed", levelSealed, func(s *secured) []byte { b := s.request(56, make([]byte, 4)); b[24]++; return b }, faultAccessDenied},
		{"signature changed", levelSealed, func(s *secured) []byte { b := s.request(56, make([]byte, 4)); b[len(b)-1]++; return b }, faultAccessDenied},
		{"sent twice", levelSealed, func(s *secured) []byte {
			b := s.request(56, make([]byte, 4))
			s.write(bytes.Clone(b))
			if _, err := s.results(); err != nil {
				t.Fatal(err)
			}
			return b
		}, faultAccessDenied},
		{"another level", levelSealed, func(s *secured) []byte { s.security.level = levelSigned; return s.request(56, make([]byte, 4)) }, faultAccessDenied},
		{"another login", levelSealed, func(s *secured) []byte { s.security.context++; return s.request(56, make([]byte, 4)) }, faultAccessDenied},
		{"more padding than there is", levelSealed, func(s *secured) []byte {
			return s.withVerifier(packet(packetRequest, 3, 1, arguments(56, make([]byte, 4))), 200, make([]byte, signatureSize))
		}, faultProtocol},
	} {
		s := login(t, tt.level, "Secret77")
		if err := s.pipe.Write(tt.bytes(s)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := s.results(); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if err := s.pipe.Write(plain(s)); !errors.Is(err, errBroken) {
			t.Errorf("%s: the pipe goes on: %v", tt.name, err)
		}
	}
}

func TestWrongPasswordOfAPipe(t *testing.T) {
	s := login(t, levelSealed, "Secret78")
	if err := s.pipe.Write(s.request(56, make([]byte, 4))); !errors.Is(err, faultAccessDenied) {
		t.Errorf("a call after it: %v", err)
	}
}

func TestLoginsOfPipesThatAreRefused(t *testing.T) {
	bind := func(kind, level uint8) []byte {
		s := &secured{security: security{kind: kind, level: level}}
		return s.withVerifier(packet(packetBind, 3, 1, proposals(0, samr.id, syntaxNDR)), 0, s.initiator.Negotiate())
	}
	for _, tt := range []struct {
		name string
		wire []byte
	}{
		{"Kerberos", bind(16, levelSealed)},
		{"connect only", bind(loginNTLM, 2)},
		{"no token of NTLM", (&secured{security: security{kind: loginNTLM, level: levelSealed}}).
			withVerifier(packet(packetBind, 3, 1, proposals(0, samr.id, syntaxNDR)), 0, make([]byte, 20))},
	} {
		c := open(t, "samr")
		c.write(tt.wire)
		if h, body := c.read(); h.kind != packetBindNak || body[0] != 8 {
			t.Errorf("%s: %+v %x", tt.name, h, body)
		}
	}
	c := open(t, "samr")
	c.pipe.env.Login = nil // as for a guest
	c.write(bind(loginNTLM, levelSealed))
	if h, _ := c.read(); h.kind != packetBindNak {
		t.Errorf("a guest: %+v", h)
	}
	s := login(t, levelSealed, "Secret77")
	alter := packet(packetAlter, flagFirst|flagLast, 2, proposals(1, samr.id, syntaxNDR))
	s.write(s.withVerifier(alter, 0, s.initiator.Negotiate()))
	if h, _ := s.read(); h.kind != packetFault {
		t.Errorf("a second login: %+v", h)
	}
}

// FuzzSecurity sends a stranger's packet into a login at each of its stages.
func FuzzSecurity(f *testing.F) {
	s := &secured{security: security{kind: loginNTLM, level: levelSealed, context: 7}}
	f.Add(s.withVerifier(packet(packetBind, 3, 1, proposals(0, samr.id, syntaxNDR)), 0, s.initiator.Negotiate()))
	f.Add(s.withVerifier(packet(packetAlter, 3, 1, proposals(0, samr.id, syntaxNDR)), 0, []byte("NTLMSSP\x00\x03")))
	f.Add(s.withVerifier(packet(packetAuth3, 3, 1, make([]byte, 4)), 0, []byte("NTLMSSP\x00\x03\x00\x00\x00")))
	f.Add(s.withVerifier(packet(packetRequest, 3, 1, arguments(56, make([]byte, 4))), 0, make([]byte, signatureSize)))
	f.Fuzz(func(t *testing.T, b []byte) {
		open(t, "samr").pipe.Write(bytes.Clone(b))
		for _, password := range []string{"Secret77", "Secret78"} {
			s := login(t, levelSealed, password)
			if err := s.pipe.Write(bytes.Clone(b)); err != nil {
				continue
			}
			for {
				answer, _ := s.pipe.Read(1 << 16)
				if answer == nil {
					break
				}
				if packetType(answer[2]) == packetResponse {
					t.Fatalf("results of a call that nobody signed: %x", b)
				}
			}
		}
	})
}
