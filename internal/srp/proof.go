package srp

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/binary"
	"math/big"
)

const (
	proofSize = sha1.Size
	keySize   = 2 * sha1.Size
)

// sessionKey is K: MGF1 of the secret, which stands there without leading zeros.
func sessionKey(secret *big.Int) []byte {
	var k []byte
	for i := uint32(0); len(k) < keySize; i++ {
		k = append(k, hash(secret.Bytes(), binary.BigEndian.AppendUint32(nil, i))...)
	}
	return k[:keySize]
}

// login is what both sides know before they prove it.
type login struct {
	user string // as the client spells it
	salt []byte
	A, B []byte // without leading zeros, as a rule
	key  []byte
}

// clientProof is M1.
func (l *login) clientProof() []byte {
	group := hash(apple.n.Bytes())
	for i, b := range hash(apple.g.Bytes()) {
		group[i] ^= b
	}
	return hash(group, hash([]byte(l.user)), l.salt, l.A, l.B, l.key)
}

// serverProof is M2.
func (l *login) serverProof(client []byte) []byte { return hash(l.A, client, l.key) }

// equal compares in constant time.
func equal(a, b []byte) bool { return hmac.Equal(a, b) }
