package smbcrypt

import "crypto/cipher"

// gcm is the library's GCM with the tag apart. The library wants it directly
// behind the text, where there is room for it or a copy is made.
type gcm struct{ cipher.AEAD }

func newGCM(block cipher.Block) gcm {
	a, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for another block size
	}
	return gcm{a}
}

func (gcm) nonceSize() int { return gcmNonceSize }

func (g gcm) seal(tag *[tagSize]byte, nonce, text, additional []byte) {
	sealed := g.Seal(text[:0], nonce, text, additional)
	copy(text, sealed) // onto itself, if there was room
	copy(tag[:], sealed[len(text):])
}

func (g gcm) open(tag *[tagSize]byte, nonce, text, additional []byte) bool {
	_, err := g.Open(text[:0], nonce, append(text, tag[:]...), additional)
	return err == nil
}
