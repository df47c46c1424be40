package dhx2

import (
	"fmt"
	"math/big"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Initiator is the client's side of one exchange. It is used by one goroutine at
// a time.
type Initiator struct {
	Password string
	// NewPassword is what to change the password to. "" is a login.
	NewPassword string

	own     *big.Int // drawn unless a test has set it
	nonce   nonce    // likewise
	session *session // nil before the server's offer
}

// Answer returns the client's answer to the server's next message, of which
// there are two. It goes back with the ID of the message. Bytes behind a message
// are ignored: old servers send two.
func (i *Initiator) Answer(message []byte) ([]byte, error) {
	r := cursor.NewReader(message)
	if i.session == nil {
		return i.agree(r)
	}
	return i.send(r)
}

// agree takes the server's offer.
func (i *Initiator) agree(r *cursor.Reader) ([]byte, error) {
	g := r.BE32()
	size := int(r.BE16())
	p := r.Bytes(size)
	public := r.Bytes(size)
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if size < minGroup || size > maxGroup || p[0] == 0 || p[size-1]&1 == 0 || g < 2 {
		return nil, ErrGroup
	}
	if i.own == nil {
		i.own, i.nonce = exponent(), newNonce()
	}
	theirs := newGroup(p, g)
	secret, err := theirs.agree(i.own, public)
	if err != nil {
		return nil, err
	}
	s := newSession(secret)
	i.session = &s
	w := cursor.NewWriter(nil)
	w.Bytes(theirs.public(i.own))
	sealed := i.nonce
	w.Bytes(s.seal(toServer, sealed[:]))
	return w.Message(), nil
}

// send sends the passwords to a server that has proved to have the key.
func (i *Initiator) send(r *cursor.Reader) ([]byte, error) {
	sealed := r.Bytes(2 * nonceSize)
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	text := i.session.open(toClient, sealed)
	if !i.nonce.next().is(text[:nonceSize]) {
		return nil, ErrNonce
	}
	if max(len(i.Password), len(i.NewPassword)) > passwordSize {
		return nil, ErrLong
	}
	proof := nonce(text[nonceSize:]).next()
	plain := cursor.NewWriter(nil)
	plain.Bytes(proof[:])
	if i.NewPassword != "" {
		pad(plain, i.NewPassword)
	}
	pad(plain, i.Password)
	return i.session.seal(toServer, plain.Message()), nil
}

// pad writes a password into its field.
func pad(w *cursor.Writer, password string) {
	w.Bytes([]byte(password))
	w.Zero(passwordSize - len(password))
}
