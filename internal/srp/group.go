package srp

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"math/big"
)

// The group of 1536 bits of RFC 5054, appendix A.
const (
	groupSize = 1536 / 8
	groupG    = 2
	groupN    = "" +
		"9DEF3CAFB939277AB1F12A8617A47BBBDBA51DF499AC4C80BEEEA9614B19CC4D" +
		"5F4F5F556E27CBDE51C6A94BE4607A291558903BA0D0F84380B655BB9A22E8DC" +
		"DF028A7CEC67F0D08134B1C8B97989149B609E0BE3BAB63D47548381DBC5B1FC" +
		"764E3F4B53DD9DA1158BFD3E2B9C8CF56EDF019539349627DB2FD53D24B7C486" +
		"65772E437D6C7F8CE442734AF7CCB7AE837C264AE3A9BEB87F8A2FE9B8B5292E" +
		"5A021FFF5E91479E8CE7A28C2442C6F315180F93499A234DCF76E3FED135F9BB"
)

// group is where both sides reckon. Each formula is that of RFC 5054, 2.5 and
// 2.6.
type group struct {
	n, g *big.Int
	k    *big.Int
	size int // of a number in it, in bytes
}

var apple = newGroup(groupN, groupG)

func newGroup(n string, g int64) *group {
	b, err := hex.DecodeString(n)
	if err != nil {
		panic(err)
	}
	r := &group{n: new(big.Int).SetBytes(b), g: big.NewInt(g), size: len(b)}
	r.k = number(hash(b, r.pad(r.g)))
	return r
}

// pad is a number in as many bytes as N has.
func (r *group) pad(x *big.Int) []byte { return x.FillBytes(make([]byte, r.size)) }

// number reads bytes as a number.
func number(b []byte) *big.Int { return new(big.Int).SetBytes(b) }

// hash is SHA-1 of some parts.
func hash(parts ...[]byte) []byte {
	h := sha1.New()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// private is x, which the client makes of a password.
func private(user, password string, salt []byte) *big.Int {
	return number(hash(salt, hash([]byte(user+":"+password))))
}

// exponent draws a secret one. RFC 5054 asks for at least 256 bits.
func exponent() *big.Int {
	var b [256 / 8]byte
	rand.Read(b[:])
	return number(b[:])
}

// power is g^x: v, the verifier, of a private x, and A of a secret a.
func (r *group) power(x *big.Int) *big.Int { return new(big.Int).Exp(r.g, x, r.n) }

// serverPublic is B = k*v + g^b.
func (r *group) serverPublic(v, b *big.Int) *big.Int {
	B := new(big.Int).Mul(r.k, v)
	B.Add(B, r.power(b))
	return B.Mod(B, r.n)
}

// scramble is u.
func (r *group) scramble(A, B *big.Int) *big.Int { return number(hash(r.pad(A), r.pad(B))) }

// serverSecret is S = (A * v^u)^b.
func (r *group) serverSecret(A, v, u, b *big.Int) *big.Int {
	s := new(big.Int).Exp(v, u, r.n)
	s.Mul(s, A)
	s.Mod(s, r.n)
	return s.Exp(s, b, r.n)
}

// clientSecret is S = (B - k*g^x)^(a + u*x).
func (r *group) clientSecret(B, x, u, a *big.Int) *big.Int {
	base := new(big.Int).Mul(r.k, r.power(x))
	base.Sub(B, base)
	base.Mod(base, r.n)
	e := new(big.Int).Mul(u, x)
	return base.Exp(base, e.Add(e, a), r.n)
}

// isPublic reports whether the other side may have such a public value.
func (r *group) isPublic(x *big.Int) bool { return x.Sign() > 0 && x.Cmp(r.n) < 0 }
