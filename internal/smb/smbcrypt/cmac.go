package smbcrypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
)

// scratchSize is how much of a message is chained at a time. The ciphertext is
// of no use; only the last block of it is, so a piece that stays in the
// processor's first cache is as good as a whole message.
const scratchSize = 4 << 10

// cmacKey is an AES-128-CMAC key with its subkeys (RFC 4493 2.3).
type cmacKey struct {
	block  cipher.Block
	k1, k2 [aes.BlockSize]byte
}

func newCMACKey(key [16]byte) *cmacKey {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only for a key of another size
	}
	k := &cmacKey{block: block}
	block.Encrypt(k.k1[:], k.k1[:])
	k.k1 = doubled(k.k1)
	k.k2 = doubled(k.k1)
	return k
}

// doubled multiplies by x in GF(2^128).
func doubled(b [aes.BlockSize]byte) [aes.BlockSize]byte {
	carry := b[0] >> 7
	for i := range b {
		b[i] <<= 1
		if i+1 < len(b) {
			b[i] |= b[i+1] >> 7
		}
	}
	b[len(b)-1] ^= carry * 0x87
	return b
}

// state returns what one goroutine at a time needs to use the key.
func (k *cmacKey) state() *cmacState {
	c := &cmacState{key: k}
	c.chain = cipher.NewCBCEncrypter(k.block, c.last[:])
	return c
}

// cmacState computes CMACs with the library's CBC mode, the fastest way
// without assembly of one's own.
type cmacState struct {
	key     *cmacKey
	chain   cipher.BlockMode
	last    [aes.BlockSize]byte // the last block that left chain, and the result
	scratch [scratchSize]byte
}

// sum is AES-CMAC (RFC 4493 2.4).
//
// CBC mode adds to each block the last ciphertext, and chain still has the one
// of the message before. Adding it to the first block takes it out again, which
// begins the chain anew without making a new one.
func (c *cmacState) sum(message []byte) []byte {
	carried := c.last
	for first := true; len(message) > aes.BlockSize; first = false {
		n := min(len(message)-1, scratchSize) / aes.BlockSize * aes.BlockSize
		if first {
			n = aes.BlockSize
			subtle.XORBytes(c.scratch[:n], message[:n], carried[:])
			c.chain.CryptBlocks(c.scratch[:n], c.scratch[:n])
			carried = [aes.BlockSize]byte{}
		} else {
			c.chain.CryptBlocks(c.scratch[:n], message[:n])
		}
		message = message[n:]
	}

	final := &c.last
	*final = [aes.BlockSize]byte{}
	mask := &c.key.k1
	if copy(final[:], message) < aes.BlockSize {
		final[len(message)] = 0x80
		mask = &c.key.k2
	}
	subtle.XORBytes(final[:], final[:], mask[:])
	subtle.XORBytes(final[:], final[:], carried[:])
	c.chain.CryptBlocks(final[:], final[:])
	return final[:]
}
