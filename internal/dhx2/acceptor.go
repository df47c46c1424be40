package dhx2

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Acceptor is the server's side of one exchange. Each of its steps is taken at
// most once, and only in order. It is used by one goroutine at a time.
type Acceptor struct {
	passwords int      // that the client will send
	id        uint16   // of the next step
	own       *big.Int // nil once the first step was taken
	session   *session // nil unless the second step is to be taken
	nonce     nonce

	fresh, password string
}

// NewLogin begins a login, which brings a password.
func NewLogin() *Acceptor { return newAcceptor(1) }

// NewChange begins a change of a password, which brings a new one and the old.
func NewChange() *Acceptor { return newAcceptor(2) }

func newAcceptor(passwords int) *Acceptor {
	return &Acceptor{
		passwords: passwords,
		id:        newID(),
		own:       exponent(),
		nonce:     newNonce(),
	}
}

// newID draws the first of two IDs, of which none is 0.
func newID() uint16 {
	var b [8]byte
	rand.Read(b[:])
	return uint16(1 + binary.BigEndian.Uint64(b[:])%0xfffe)
}

// ID is what goes with the server's message and comes back with the client's next
// one. It is never 0: that is what a client begins a change of a password with.
func (a *Acceptor) ID() uint16 { return a.id }

// Offer returns the server's first message.
func (a *Acceptor) Offer() []byte {
	w := cursor.NewWriter(nil)
	w.BE32(groupG)
	w.BE16(groupSize)
	w.Bytes(ours.p.Bytes())
	w.Bytes(ours.public(a.own))
	return w.Message()
}

// Accept takes the client's next message, and its ID. After the first it returns
// the reply; after the second, nil, and the passwords are there. After an error
// the exchange is over. Bytes behind a message are ignored: old Macs send ten.
func (a *Acceptor) Accept(id uint16, message []byte) (reply []byte, err error) {
	own, session := a.own, a.session
	a.own, a.session = nil, nil
	r := cursor.NewReader(message)
	switch {
	case id != a.id:
		return nil, ErrOrder
	case own != nil:
		return a.agree(own, r)
	case session != nil:
		return nil, a.open(session, r)
	}
	return nil, ErrOrder
}

// agree takes the client's half of the key, and its nonce.
func (a *Acceptor) agree(own *big.Int, r *cursor.Reader) ([]byte, error) {
	public := r.Bytes(groupSize)
	sealed := r.Bytes(nonceSize)
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	secret, err := ours.agree(own, public)
	if err != nil {
		return nil, err
	}
	s := newSession(secret)
	theirs := nonce(s.open(toServer, sealed)).next()
	a.id++
	a.session = &s
	return s.seal(toClient, append(theirs[:], a.nonce[:]...)), nil
}

// open takes the passwords.
func (a *Acceptor) open(s *session, r *cursor.Reader) error {
	sealed := r.Bytes(nonceSize + a.passwords*passwordSize)
	if err := r.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	text := s.open(toServer, sealed)
	defer clear(text)
	proof, fields := text[:nonceSize], text[nonceSize:]
	if !a.nonce.next().is(proof) {
		return ErrNonce
	}
	if a.passwords == 2 {
		a.fresh = unpad(fields[:passwordSize])
		fields = fields[passwordSize:]
	}
	a.password = unpad(fields)
	return nil
}

// unpad returns what is before the first zero.
func unpad(field []byte) string {
	before, _, _ := bytes.Cut(field, []byte{0})
	return string(before)
}

// Password returns the password that the client sent: in a login the user's, in
// a change the old one. It is "" before it is there. What the bytes mean is not
// said anywhere: gvfs sends UTF-8, netatalk takes those of Macs for MacRoman.
func (a *Acceptor) Password() string { return a.password }

// NewPassword returns the other password that came with a change.
func (a *Acceptor) NewPassword() string { return a.fresh }
