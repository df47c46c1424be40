package rpc

import (
	"errors"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/ntlm"
)

// Login is the server's side of a login of a pipe's own, by which some clients
// prove once more who calls, to have keys for the calls. It is used by one
// goroutine at a time.
type Login interface {
	// Accept takes the client's next token and returns the answer. The session
	// is nil while the client has to answer that. After an error the login is
	// over.
	Accept(token []byte) (answer []byte, session *ntlm.Session, err error)
}

// The kinds of logins and of protection that are known ([MS-RPCE] 2.2.1.1.7
// and 2.2.1.1.8).
const (
	loginSPNEGO = 9
	loginNTLM   = 10

	levelSigned = 5
	levelSealed = 6
)

const (
	trailerSize   = 8
	signatureSize = 16
	sealAlignment = 16 // of protected results, as Windows and Samba have it
)

// verifier is what stands behind the body of a packet of a login or of one that
// is protected ([MS-RPCE] 2.2.2.11):
//
//	0 kind of login, level of protection, bytes of padding before it, 0
//	4 number of the login   4 bytes
//	8 token or signature
type verifier struct {
	kind, level, pad uint8
	context          uint32
	at               int // where in the packet it begins
	token            []byte
}

// verifier finds that of a packet, nil if there is none.
func (h *header) verifier(packet []byte) (*verifier, error) {
	if h.auth == 0 {
		return nil, nil
	}
	v := &verifier{at: len(packet) - h.auth - trailerSize}
	if v.at < headerSize {
		return nil, errors.New("a login longer than its packet")
	}
	r := cursor.NewReader(packet[v.at:])
	v.kind = r.U8()
	v.level = r.U8()
	v.pad = r.U8()
	r.Skip(1)
	v.context = r.U32()
	v.token = r.Rest()
	return v, nil
}

// security is how the calls of a pipe are protected beyond the SMB session: not
// at all, as most clients have it, or with the keys of a login of its own.
// NTLM signs whole packets, whether or not the client asks that headers be.
type security struct {
	kind, level uint8 // 0: not at all
	context     uint32
	login       Login         // in progress
	session     *ntlm.Session // nil until the client has proved who it is
}

var errLogin = errors.New("a login that was not begun, or of an unknown kind")

// accept takes the token of v, the first or a further one of a login, which
// begin begins. A login that fails leaves a pipe that carries out no call.
func (s *security) accept(begin func() Login, v *verifier) (answer []byte, err error) {
	if s.kind == 0 {
		known := (v.kind == loginSPNEGO || v.kind == loginNTLM) && (v.level == levelSigned || v.level == levelSealed)
		if begin == nil || !known {
			return nil, errLogin
		}
		*s = security{kind: v.kind, level: v.level, context: v.context, login: begin()}
	}
	if s.login == nil || !s.covers(v) {
		return nil, errLogin
	}
	answer, session, err := s.login.Accept(v.token)
	if err == nil && session != nil && !session.CanSign() {
		err = errLogin
	}
	if err != nil || session != nil {
		s.login = nil
	}
	if err != nil {
		return nil, err
	}
	s.session = session
	return answer, nil
}

func (s *security) covers(v *verifier) bool {
	return v.kind == s.kind && v.level == s.level && v.context == s.context
}

// trailer writes a verifier but for its token.
func (s *security) trailer(w *cursor.Writer, pad int) {
	w.U8(s.kind)
	w.U8(s.level)
	w.U8(uint8(pad))
	w.U8(0)
	w.U32(s.context)
}

// open checks how a request is protected and decrypts it in its place. It
// returns where the arguments end, or a fault.
func (s *security) open(h *header, packet []byte, v *verifier) (end int, refusal fault) {
	switch {
	case s.kind == 0 && v == nil:
		return len(packet), 0
	case s.kind == 0:
		return 0, faultProtocol
	case s.session == nil || v == nil || !s.covers(v):
		return 0, faultAccessDenied
	}
	from := bodyOffset
	if h.flags&flagObject != 0 {
		from += len(uuid{})
	}
	if from+int(v.pad) > v.at {
		return 0, faultProtocol
	}
	if !s.session.Unseal(packet[:v.at+trailerSize], s.secret(packet, from, v.at), v.token) {
		return 0, faultAccessDenied
	}
	return v.at - int(v.pad), 0
}

// overhead is how many bytes of a packet with results are for its protection.
func (s *security) overhead() int {
	if s.session == nil {
		return 0
	}
	return trailerSize + signatureSize
}

// behind writes what stands behind results in a packet: padding, a trailer, and
// room for the signature.
func (s *security) behind(w *cursor.Writer, results int) {
	if s.session == nil {
		return
	}
	pad := -results & (sealAlignment - 1)
	w.Zero(pad)
	s.trailer(w, pad)
	w.Zero(signatureSize)
}

// protect signs a packet with results that is ready to be sent, and encrypts
// it.
func (s *security) protect(packet []byte) {
	if s.session == nil {
		return
	}
	at := len(packet) - s.overhead()
	sig := s.session.Seal(packet[:at+trailerSize], s.secret(packet, bodyOffset, at))
	copy(packet[at+trailerSize:], sig)
}

// secret is the part of a packet that is encrypted, if any is.
func (s *security) secret(packet []byte, from, to int) []byte {
	if s.level != levelSealed {
		return nil
	}
	return packet[from:to]
}
