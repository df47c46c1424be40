package srp

import (
	"math/big"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Acceptor is the server's side of one login. Each of its steps is taken at most
// once, and only in order. It is used by one goroutine at a time.
type Acceptor struct {
	user    string
	salt    []byte
	v, b, B *big.Int
	next    func(*Acceptor, []byte) ([]byte, error) // nil when the login is over
}

// NewAcceptor begins the login of a user, whose name is as the client spells it,
// in composed letters, with the salt and the verifier that are kept.
func NewAcceptor(user string, salt, verifier []byte) (*Acceptor, error) {
	v := number(verifier)
	last := new(big.Int).Sub(apple.n, big.NewInt(1))
	// Of 0, 1 and N-1 everybody knows the secret that follows.
	if len(salt) != SaltSize || len(verifier) != VerifierSize || v.Cmp(big.NewInt(1)) <= 0 || v.Cmp(last) >= 0 {
		return nil, ErrVerifier
	}
	a := &Acceptor{user: user, salt: salt, v: v, next: (*Acceptor).begin}
	a.draw(exponent)
	return a, nil
}

// draw chooses b so that B has no leading zero: nobody has seen yet whether Macs
// write such a B with its zeros when they prove what they know.
func (a *Acceptor) draw(exponent func() *big.Int) {
	for {
		a.b = exponent()
		a.B = apple.serverPublic(a.v, a.b)
		if len(a.B.Bytes()) == groupSize {
			return
		}
	}
}

// Accept takes the client's next message and returns the reply to it. After the
// first the login goes on; after the second the client has proved to know the
// password, and the reply proves that the server is the right one. After an error
// the login is over. Bytes behind a message are ignored.
func (a *Acceptor) Accept(message []byte) (reply []byte, err error) {
	next := a.next
	a.next = nil
	if next == nil {
		return nil, ErrOrder
	}
	return next(a, message)
}

func (a *Acceptor) begin(message []byte) ([]byte, error) {
	r := cursor.NewReader(message)
	step(r, stepHello)
	if err := malformed(r); err != nil {
		return nil, err
	}
	a.next = (*Acceptor).finish
	return (&challenge{a.salt, a.B}).encode(), nil
}

func (a *Acceptor) finish(message []byte) ([]byte, error) {
	var m answer
	if err := m.decode(message); err != nil {
		return nil, err
	}
	u := apple.scramble(m.A, a.B)
	if !apple.isPublic(m.A) || u.Sign() == 0 {
		return nil, ErrPublic
	}
	key := sessionKey(apple.serverSecret(m.A, a.v, u, a.b))
	// Of an A with leading zeros, one in 158, nobody has seen either whether
	// they are part of the proofs. Both ways prove the password.
	for _, A := range [][]byte{m.A.Bytes(), apple.pad(m.A)} {
		l := login{a.user, a.salt, A, a.B.Bytes(), key}
		if equal(m.proof, l.clientProof()) {
			w := cursor.NewWriter(nil)
			w.BE16(stepServerProof)
			field(w, l.serverProof(m.proof))
			return w.Message(), nil
		}
	}
	return nil, ErrProof
}
