package smbcrypt

import (
	"crypto/aes"
	"crypto/cipher"
)

const (
	gcmNonceSize = 12
	tagSize      = 16
)

// newGMACKey returns the GCM of a key, which may be shared.
func newGMACKey(key [16]byte) cipher.AEAD {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only for a key of another size
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for another block size
	}
	return aead
}

// gmacState is AES-GMAC: the tag that GCM gives an empty message with the
// signed one as its additional data (NIST SP800-38D 5.2).
type gmacState struct {
	aead  cipher.AEAD
	nonce [gcmNonceSize]byte
	out   [tagSize]byte
}

func (g *gmacState) sum(message []byte) []byte {
	gmacNonce(&g.nonce, message)
	return g.aead.Seal(g.out[:0], g.nonce[:], nil, message)
}
