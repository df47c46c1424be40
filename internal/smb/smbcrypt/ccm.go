package smbcrypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
)

// ccmNonceSize is the nonce of SMB's CCM; four bytes are left for a length.
const ccmNonceSize = 11

// ccm is Counter with CBC-MAC (RFC 3610) with tags of 16 bytes, for SMB 3.0 and
// clients without GCM. Its speed is that of the library's CBC mode.
type ccm struct{ block cipher.Block }

// ccmFlags is L-1, in the first byte of all special blocks: how many bytes the
// nonce leaves for a counter.
const ccmFlags = aes.BlockSize - 1 - ccmNonceSize - 1

func (ccm) nonceSize() int { return ccmNonceSize }

func (c ccm) seal(tag *[tagSize]byte, nonce, text, additional []byte) {
	*tag = c.authenticate(nonce, text, additional)
	c.crypt(tag, nonce, text)
}

func (c ccm) open(tag *[tagSize]byte, nonce, text, additional []byte) bool {
	got := *tag
	c.crypt(&got, nonce, text)
	want := c.authenticate(nonce, text, additional)
	if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		clear(text)
		return false
	}
	return true
}

// crypt applies the key stream to tag, with counter 0, and text, from 1 on
// (RFC 3610 2.3).
func (c ccm) crypt(tag *[tagSize]byte, nonce, text []byte) {
	var counter [aes.BlockSize]byte
	counter[0] = ccmFlags
	copy(counter[1:], nonce)
	stream := cipher.NewCTR(c.block, counter[:])
	stream.XORKeyStream(tag[:], tag[:])
	stream.XORKeyStream(text, text)
}

// authenticate computes the CBC-MAC (RFC 3610 2.2) over a first block with the
// sizes, the additional data with their own, and the text, both zero padded.
func (c ccm) authenticate(nonce, text, additional []byte) [tagSize]byte {
	const hasAdditional = 0x40
	const tagBits = (tagSize - 2) / 2 << 3
	var first [aes.BlockSize]byte
	binary.BigEndian.PutUint64(first[8:], uint64(len(text)))
	first[0] = hasAdditional | tagBits | ccmFlags
	copy(first[1:], nonce)

	m := cbcMAC{chain: cipher.NewCBCEncrypter(c.block, make([]byte, aes.BlockSize))}
	m.add(first[:])
	m.add(append(binary.BigEndian.AppendUint16(make([]byte, 0, 64), uint16(len(additional))), additional...))
	m.add(text)
	return m.last
}

// cbcMAC is a chain of blocks of which only the last counts.
type cbcMAC struct {
	chain cipher.BlockMode
	last  [aes.BlockSize]byte
}

// add chains b, zero padded to whole blocks.
func (m *cbcMAC) add(b []byte) {
	scratch := make([]byte, min(len(b)+aes.BlockSize-1, scratchSize))
	for len(b) > 0 {
		n := copy(scratch, b)
		if whole := n / aes.BlockSize * aes.BlockSize; whole > 0 {
			n = whole
		}
		b = b[n:]
		end := (n + aes.BlockSize - 1) / aes.BlockSize * aes.BlockSize
		clear(scratch[n:end])
		m.chain.CryptBlocks(scratch[:end], scratch[:end])
		copy(m.last[:], scratch[end-aes.BlockSize:end])
	}
}
