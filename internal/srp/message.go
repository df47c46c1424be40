package srp

import (
	"bytes"
	"fmt"
	"math/big"

	"github.com/dozo-server/dozo/internal/cursor"
)

// The steps, as the messages are marked.
const (
	stepHello       = 1
	stepClientProof = 3
	stepServerProof = 4
)

// group1536 is the number of the group in Apple's list.
const group1536 = 2

// maxSalt bounds what a client takes for a salt.
const maxSalt = 64

// malformed marks the error of a reader.
func malformed(r *cursor.Reader) error {
	if err := r.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// field writes bytes behind their length.
func field(w *cursor.Writer, b []byte) {
	w.BE16(uint16(len(b)))
	w.Bytes(b)
}

// counted reads bytes behind their length, which lies within bounds. They alias
// the message.
func counted(r *cursor.Reader, least, most int) []byte {
	n := int(r.BE16())
	if n < least || n > most {
		r.Failf("%d bytes, want %d to %d", n, least, most)
	}
	return r.Bytes(n)
}

// step reads the mark of a message.
func step(r *cursor.Reader, want uint16) {
	if got := r.BE16(); got != want {
		r.Failf("step %d, want %d", got, want)
	}
}

// challenge is the server's first message.
type challenge struct {
	salt []byte
	B    *big.Int
}

func (m *challenge) encode() []byte {
	w := cursor.NewWriter(nil)
	w.BE16(group1536)
	field(w, apple.pad(apple.n))
	field(w, apple.g.Bytes())
	field(w, m.salt)
	field(w, apple.pad(m.B))
	return w.Message()
}

// decode refuses other groups, in which a false server could try passwords out.
func (m *challenge) decode(message []byte) error {
	r := cursor.NewReader(message)
	index := r.BE16()
	n := counted(r, 1, 2*groupSize)
	g := counted(r, 1, 2*groupSize)
	if r.Err() == nil && (index != group1536 || !bytes.Equal(n, apple.n.Bytes()) || number(g).Cmp(apple.g) != 0) {
		return ErrGroup
	}
	m.salt = counted(r, 1, maxSalt)
	m.B = number(counted(r, 1, groupSize))
	return malformed(r)
}

// answer is the client's proof.
type answer struct {
	A     *big.Int
	proof []byte
}

func (m *answer) encode() []byte {
	w := cursor.NewWriter(nil)
	w.BE16(stepClientProof)
	field(w, apple.pad(m.A))
	field(w, m.proof)
	return w.Message()
}

func (m *answer) decode(message []byte) error {
	r := cursor.NewReader(message)
	step(r, stepClientProof)
	m.A = number(counted(r, 1, groupSize))
	m.proof = counted(r, proofSize, proofSize)
	return malformed(r)
}
