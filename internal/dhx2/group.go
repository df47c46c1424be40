package dhx2

import (
	"crypto/rand"
	"encoding/hex"
	"math/big"
)

// The server's group: all numbers modulo a safe prime p of 1024 bits, the length
// that netatalk has offered to Macs for twenty years. Nothing is known of clients
// that were offered more.
//
//	p = 2^1024 - 2^960 + (floor(2^894 e) + 344855) 2^64 - 1
//
// is the form of the primes in RFC 7919, appendix A, with the smallest addend
// that makes p and (p-1)/2 prime, so there was nothing to choose. It is none of
// the published groups of that length, because whoever has once spent years on
// such a group breaks each key in it within minutes: nobody has a reason to do
// that for this one. g is the least that is primitive, as Apple asks for: it tells
// whether an exponent is odd, and nothing else.
const (
	groupSize = 1024 / 8
	groupG    = 5
	groupP    = "" +
		"FFFFFFFFFFFFFFFFADF85458A2BB4A9AAFDC5620273D3CF1D8B9C583CE2D3695" +
		"A9E13641146433FBCC939DCE249B3EF97D2FE363630C75D8F681B202AEC4617A" +
		"D3DF1ED5D5FD65612433F51F5F066ED0856365553DED1AF3B557135E7F57C935" +
		"984F0C70E0E68B77E2A689DAF3EFE8721DF158A136B32A4BFFFFFFFFFFFFFFFF"
)

// What a client accepts of a group, in bytes. Apple's servers had 512 bits.
const (
	minGroup = 512 / 8
	maxGroup = 4096 / 8
)

// exponentSize is the length of a secret exponent in bytes: more than twice as
// much as the group is worth.
const exponentSize = 256 / 8

// group is where keys are agreed on.
type group struct {
	p, g *big.Int
	size int // of a number in it, in bytes
}

var ours = newGroup(mustHex(groupP), groupG)

func newGroup(p []byte, g uint32) *group {
	return &group{new(big.Int).SetBytes(p), new(big.Int).SetUint64(uint64(g)), len(p)}
}

func mustHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// exponent draws a secret one.
func exponent() *big.Int {
	var b [exponentSize]byte
	rand.Read(b[:])
	return new(big.Int).SetBytes(b[:])
}

// public returns what tells the other side of an exponent.
func (g *group) public(own *big.Int) []byte { return g.power(g.g, own) }

// agree returns the common secret of an exponent and the other side's public
// value. The values that make a secret which everybody knows, 0, 1 and p-1, are
// refused, and those that are no numbers of the group.
func (g *group) agree(own *big.Int, public []byte) ([]byte, error) {
	v := new(big.Int).SetBytes(public)
	last := new(big.Int).Sub(g.p, big.NewInt(1))
	if v.Cmp(big.NewInt(1)) <= 0 || v.Cmp(last) >= 0 {
		return nil, ErrPublic
	}
	return g.power(v, own), nil
}

// power returns a power, in as many bytes as p has.
func (g *group) power(base, exponent *big.Int) []byte {
	n := new(big.Int).Exp(base, exponent, g.p)
	return n.FillBytes(make([]byte, g.size))
}
