package smbcrypt

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"hash"
	"sync"
)

// SigningAlgorithm says how messages are signed.
type SigningAlgorithm uint16

// The algorithms, as SMB2_SIGNING_CAPABILITIES numbers them ([MS-SMB2]
// 2.2.3.1.7). 2.x knows only the first, 3.0 to 3.1.1 without negotiation only
// the second. AESGMAC is ten times as fast as either.
const (
	HMACSHA256 SigningAlgorithm = 0
	AESCMAC    SigningAlgorithm = 1
	AESGMAC    SigningAlgorithm = 2
)

func (a SigningAlgorithm) String() string {
	switch a {
	case HMACSHA256:
		return "HMAC-SHA256"
	case AESCMAC:
		return "AES-128-CMAC"
	case AESGMAC:
		return "AES-128-GMAC"
	}
	return fmt.Sprintf("signing algorithm %d", uint16(a))
}

// Where the header keeps what signing needs ([MS-SMB2] 2.2.1.2).
const (
	headerSize       = 64
	commandOffset    = 12
	flagsOffset      = 16
	messageIDOffset  = 24
	signatureOffset  = 48
	flagFromServer   = 0x00000001
	flagSigned       = 0x00000008
	commandCancel    = 0x000C
	signatureSize    = 16
	largestSignature = sha256.Size
)

// Signer signs and verifies whole SMB2 messages, header first, in place.
//
// With AESGMAC no two messages of one direction may carry the same message id
// and be signed with one key: that would give the key away. So interim
// responses and oplock breaks are not signed.
type Signer interface {
	// Sign sets SMB2_FLAGS_SIGNED and the signature of a message, which is at
	// least a header.
	Sign(message []byte)

	// Verify reports whether the signature is right. It changes the message
	// while it runs and leaves it as it was. A message shorter than a header
	// is not right.
	Verify(message []byte) bool
}

// NewSigner returns a Signer for a key of 16 bytes.
func NewSigner(a SigningAlgorithm, key [16]byte) (Signer, error) {
	switch a {
	case HMACSHA256:
		return newSigner(func() mac { return &hmacState{hash: hmac.New(sha256.New, key[:])} }), nil
	case AESCMAC:
		k := newCMACKey(key)
		return newSigner(func() mac { return k.state() }), nil
	case AESGMAC:
		k := newGMACKey(key)
		return newSigner(func() mac { return &gmacState{aead: k} }), nil
	}
	return nil, fmt.Errorf("smbcrypt: unknown %v", a)
}

// mac computes one signature at a time. The result is valid until the next.
type mac interface {
	sum(message []byte) []byte
}

// signer adapts a mac to the header of SMB2. It keeps idle macs in a pool, so
// that signing allocates nothing.
type signer struct {
	pool sync.Pool // of mac
}

func newSigner(state func() mac) *signer {
	return &signer{pool: sync.Pool{New: func() any { return state() }}}
}

func (s *signer) Sign(message []byte) {
	m := s.pool.Get().(mac)
	defer s.pool.Put(m)
	message[flagsOffset] |= flagSigned
	field := message[signatureOffset:headerSize]
	clear(field)
	copy(field, m.sum(message))
}

func (s *signer) Verify(message []byte) bool {
	if len(message) < headerSize {
		return false
	}
	m := s.pool.Get().(mac)
	defer s.pool.Put(m)
	field := message[signatureOffset:headerSize]
	got := [signatureSize]byte(field)
	clear(field)
	want := m.sum(message)
	copy(field, got[:])
	return subtle.ConstantTimeCompare(got[:], want[:signatureSize]) == 1
}

// hmacState is HMAC-SHA256, cut to 16 bytes.
type hmacState struct {
	hash hash.Hash
	out  [largestSignature]byte
}

func (h *hmacState) sum(message []byte) []byte {
	h.hash.Reset()
	h.hash.Write(message)
	return h.hash.Sum(h.out[:0])
}

// gmacNonce is the nonce of a message's signature ([MS-SMB2] 3.1.4.1): its id,
// then one bit for the direction and one for CANCEL, which shares the id of
// the request that it cancels.
func gmacNonce(nonce *[gcmNonceSize]byte, message []byte) {
	le := binary.LittleEndian
	var bits uint32
	if le.Uint32(message[flagsOffset:])&flagFromServer != 0 {
		bits |= 1
	}
	if le.Uint16(message[commandOffset:]) == commandCancel {
		bits |= 2
	}
	copy(nonce[:8], message[messageIDOffset:])
	le.PutUint32(nonce[8:], bits)
}
