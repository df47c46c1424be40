package srp

import (
	"math/big"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Initiator is the client's side of one login. It is used by one goroutine at a
// time.
type Initiator struct {
	User, Password string

	a     *big.Int // drawn unless a test has set it
	proof []byte   // what the server has to prove
}

// Hello returns the client's first message.
func (i *Initiator) Hello() []byte { return []byte{0, stepHello} }

// Answer answers the server's first message with a proof.
func (i *Initiator) Answer(message []byte) ([]byte, error) {
	if i.proof != nil {
		return nil, ErrOrder
	}
	var c challenge
	if err := c.decode(message); err != nil {
		return nil, err
	}
	if !apple.isPublic(c.B) {
		return nil, ErrPublic
	}
	if i.a == nil {
		i.draw(exponent)
	}
	A := apple.power(i.a)
	u := apple.scramble(A, c.B)
	if u.Sign() == 0 {
		return nil, ErrPublic
	}
	x := private(i.User, i.Password, c.salt)
	l := login{i.User, c.salt, A.Bytes(), c.B.Bytes(), sessionKey(apple.clientSecret(c.B, x, u, i.a))}
	proof := l.clientProof()
	i.proof = l.serverProof(proof)
	return (&answer{A, proof}).encode(), nil
}

// draw chooses a so that A has no leading zero, see Acceptor.draw.
func (i *Initiator) draw(exponent func() *big.Int) {
	for i.a == nil || len(apple.power(i.a).Bytes()) < groupSize {
		i.a = exponent()
	}
}

// Finish checks that the server's last message proves it to be the right one.
func (i *Initiator) Finish(message []byte) error {
	if i.proof == nil {
		return ErrOrder
	}
	r := cursor.NewReader(message)
	step(r, stepServerProof)
	proof := counted(r, proofSize, proofSize)
	if err := malformed(r); err != nil {
		return err
	}
	if !equal(proof, i.proof) {
		return ErrProof
	}
	return nil
}
