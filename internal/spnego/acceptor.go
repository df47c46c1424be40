package spnego

import (
	"bytes"

	"github.com/dozo-server/dozo/internal/ntlm"
)

// Hint returns the token with which a server says, in its NEGOTIATE response,
// what it offers. It must not be changed.
func Hint() []byte { return hint }

var hint = (&initToken{mechanisms: listOf(oidNTLM), hint: true}).encode()

// Acceptor is the server's side of one login. It is used by one goroutine at a
// time.
type Acceptor struct {
	mechanism *ntlm.Acceptor

	begun      bool
	failed     bool
	raw        bool   // the client sends the mechanism's messages bare
	mechanisms []byte // the client's list, which MICs cover
}

// NewAcceptor begins a login.
func NewAcceptor(s *ntlm.Server) *Acceptor { return &Acceptor{mechanism: s.NewAcceptor()} }

// Accept takes the client's next token, of SPNEGO or bare of NTLM, which
// Windows accepts as well and Linux sends. While done is false the client has
// to answer reply. When done is true, reply goes out with the success and
// Session has the outcome. After an error, such as a *ntlm.LogonError, the
// login is over.
func (a *Acceptor) Accept(token []byte) (reply []byte, done bool, err error) {
	if a.failed || a.Session() != nil {
		return nil, false, ErrOrder
	}
	first := !a.begun
	a.begun = true
	switch {
	case first && bytes.HasPrefix(token, []byte("NTLMSSP\x00")):
		a.raw = true
		reply, err = a.mechanism.Accept(token)
	case a.raw:
		reply, err = a.mechanism.Accept(token)
	case first:
		reply, err = a.begin(token)
	default:
		reply, err = a.proceed(token)
	}
	a.failed = err != nil
	return reply, a.Session() != nil, err
}

// Session returns the outcome, nil before it is there.
func (a *Acceptor) Session() *ntlm.Session {
	if a.failed {
		return nil
	}
	return a.mechanism.Session()
}

// begin answers NegTokenInit.
func (a *Acceptor) begin(token []byte) ([]byte, error) {
	var m initToken
	if err := m.decode(token); err != nil {
		return nil, err
	}
	offered, first, err := m.offers(oidNTLM)
	if err != nil {
		return nil, err
	}
	if !offered {
		return nil, ErrNoMechanism
	}
	a.mechanisms = bytes.Clone(m.mechanisms)

	if !first {
		// The token, if any, belongs to a mechanism that is not spoken here.
		return (&respToken{state: stateRequestMIC, mechanism: oidNTLM}).encode(), nil
	}
	r := respToken{state: stateIncomplete, mechanism: oidNTLM}
	if m.token != nil {
		if r.token, err = a.mechanism.Accept(m.token); err != nil {
			return nil, err
		}
	}
	return r.encode(), nil
}

// proceed answers NegTokenResp.
func (a *Acceptor) proceed(token []byte) ([]byte, error) {
	var m respToken
	if err := m.decode(token); err != nil {
		return nil, err
	}
	answer, err := a.mechanism.Accept(m.token)
	if err != nil {
		return nil, err
	}
	s := a.Session()
	if s == nil {
		return (&respToken{state: stateIncomplete, token: answer}).encode(), nil
	}
	r := respToken{state: stateCompleted}
	// A client need not send a MIC. That there might have been a better
	// mechanism for it is nothing an attacker can hide: this server has one.
	if m.mic != nil && s.CanSign() {
		if !s.Verify(a.mechanisms, m.mic) {
			return nil, ErrMIC
		}
		r.mic = s.Sign(a.mechanisms)
		s.ResetCiphers()
	}
	return r.encode(), nil
}
