package spnego

import "github.com/dozo-server/dozo/internal/ntlm"

// Initiator is the client's side of one login. It is used by one goroutine at
// a time.
type Initiator struct {
	mechanism *ntlm.Initiator
	steps     int
}

// NewInitiator begins a login.
func NewInitiator(i *ntlm.Initiator) *Initiator { return &Initiator{mechanism: i} }

// Step takes the server's next token and returns the client's. The first is
// the server's hint, or nothing. When done is true the server has accepted.
func (i *Initiator) Step(token []byte) (reply []byte, done bool, err error) {
	i.steps++
	switch i.steps {
	case 1:
		m := initToken{mechanisms: listOf(oidNTLM), token: i.mechanism.Negotiate()}
		return m.encode(), false, nil
	case 2:
		reply, err = i.prove(token)
		return reply, false, err
	case 3:
		err = i.conclude(token)
		return nil, err == nil, err
	}
	return nil, false, ErrOrder
}

// Session returns the outcome, which counts once Step was done.
func (i *Initiator) Session() *ntlm.Session { return i.mechanism.Session() }

// prove answers the server's challenge.
func (i *Initiator) prove(token []byte) ([]byte, error) {
	var m respToken
	if err := m.decode(token); err != nil {
		return nil, err
	}
	if m.state == stateRejected || m.mechanism != nil && !m.mechanism.Equal(oidNTLM) {
		return nil, ErrRefused
	}
	answer, err := i.mechanism.Authenticate(m.token)
	if err != nil {
		return nil, err
	}
	r := respToken{state: stateAbsent, token: answer}
	if s := i.Session(); s.CanSign() {
		r.mic = s.Sign(listOf(oidNTLM))
	}
	return r.encode(), nil
}

// conclude checks the server's last token, which is empty where a server
// leaves SPNEGO out at the end.
func (i *Initiator) conclude(token []byte) error {
	if len(token) == 0 {
		return nil
	}
	var m respToken
	if err := m.decode(token); err != nil {
		return err
	}
	if m.state != stateCompleted {
		return ErrRefused
	}
	if s := i.Session(); m.mic != nil && s.CanSign() {
		if !s.Verify(listOf(oidNTLM), m.mic) {
			return ErrMIC
		}
		s.ResetCiphers()
	}
	return nil
}
