package smbcrypt

import (
	"crypto/aes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
)

// Cipher says how messages are encrypted. The zero Cipher is none.
type Cipher uint16

// The ciphers, as SMB2_ENCRYPTION_CAPABILITIES numbers them ([MS-SMB2]
// 2.2.3.1.2). 3.0 and 3.0.2 know only the first.
const (
	AES128CCM Cipher = 1
	AES128GCM Cipher = 2
	AES256CCM Cipher = 3
	AES256GCM Cipher = 4
)

// KeySize returns how many bytes a key has: 16, 32, or 0 for no such cipher.
func (c Cipher) KeySize() int {
	switch c {
	case AES128CCM, AES128GCM:
		return 16
	case AES256CCM, AES256GCM:
		return 32
	}
	return 0
}

func (c Cipher) String() string {
	switch c {
	case 0:
		return "none"
	case AES128CCM:
		return "AES-128-CCM"
	case AES128GCM:
		return "AES-128-GCM"
	case AES256CCM:
		return "AES-256-CCM"
	case AES256GCM:
		return "AES-256-GCM"
	}
	return fmt.Sprintf("cipher %d", uint16(c))
}

// The TRANSFORM_HEADER in front of an encrypted message ([MS-SMB2] 2.2.41):
//
//	 0  ProtocolId           0xFD 'S' 'M' 'B'
//	 4  Signature            16 bytes, the tag
//	20  Nonce                16 bytes: 11 (CCM) or 12 (GCM) of them used
//	36  OriginalMessageSize  4 bytes
//	40  Reserved             2 bytes
//	42  Flags                2 bytes, 1: encrypted
//	44  SessionId            8 bytes
//
// All from the nonce on is authenticated with the message.
const (
	// TransformSize is the size of a TRANSFORM_HEADER in bytes.
	TransformSize = 52
	// TagSize is the spare capacity in bytes that Seal and Open use behind a
	// message, if it is there.
	TagSize = tagSize

	transformID      = 0x424D53FD
	tagOffset        = 4
	nonceOffset      = 20
	sizeOffset       = 36
	flagOffset       = 42
	sessionIDOffset  = 44
	transformEncrypt = 1
)

// The errors of TransformSession and Open.
var (
	ErrTransform = errors.New("smbcrypt: malformed transform header")
	ErrOpen      = errors.New("smbcrypt: encrypted message is not authentic")
)

// aead is authenticated encryption in place with a tag that stands elsewhere.
// Spare capacity of text may be overwritten.
type aead interface {
	nonceSize() int
	seal(tag *[tagSize]byte, nonce, text, additional []byte)
	// open leaves text undefined, but without plaintext, when it returns false.
	open(tag *[tagSize]byte, nonce, text, additional []byte) bool
}

// Sealer encrypts and decrypts messages with one key, which serves one
// direction of a session. All channels of the session must share it, because
// it counts the nonces.
type Sealer struct {
	aead   aead
	prefix [4]byte // of each nonce, random; CCM has room for three of them
	count  atomic.Uint64
}

// NewSealer returns a Sealer for a key of c.KeySize() bytes.
func NewSealer(c Cipher, key []byte) (*Sealer, error) {
	if c.KeySize() == 0 || len(key) != c.KeySize() {
		return nil, fmt.Errorf("smbcrypt: key of %d bytes for cipher %v", len(key), c)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	s := &Sealer{}
	if c == AES128GCM || c == AES256GCM {
		s.aead = newGCM(block)
	} else {
		s.aead = ccm{block}
	}
	rand.Read(s.prefix[:])
	return s, nil
}

// Seal encrypts a message in place and writes the header in front of it. frame
// is TransformSize bytes for the header and the message; with TagSize bytes of
// spare capacity, which are overwritten, nothing is copied.
func (s *Sealer) Seal(frame []byte, sessionID uint64) {
	le := binary.LittleEndian
	le.PutUint32(frame, transformID)
	nonce := frame[nonceOffset:sizeOffset]
	clear(nonce)
	le.PutUint64(nonce, s.count.Add(1))
	copy(nonce[8:s.aead.nonceSize()], s.prefix[:])
	le.PutUint32(frame[sizeOffset:], uint32(len(frame)-TransformSize))
	le.PutUint32(frame[flagOffset-2:], transformEncrypt<<16) // with Reserved
	le.PutUint64(frame[sessionIDOffset:], sessionID)
	s.sealPrepared(frame)
}

// sealPrepared encrypts a frame whose header is complete but for the tag.
func (s *Sealer) sealPrepared(frame []byte) {
	nonce := frame[nonceOffset : nonceOffset+s.aead.nonceSize()]
	tag := (*[tagSize]byte)(frame[tagOffset:])
	s.aead.seal(tag, nonce, frame[TransformSize:], frame[nonceOffset:TransformSize])
}

// TransformSession returns the session that a frame beginning with a transform
// header is encrypted for. What it says is not authentic before Open.
func TransformSession(frame []byte) (sessionID uint64, err error) {
	le := binary.LittleEndian
	if len(frame) <= TransformSize || le.Uint32(frame) != transformID ||
		le.Uint16(frame[flagOffset:]) != transformEncrypt ||
		le.Uint32(frame[sizeOffset:]) != uint32(len(frame)-TransformSize) {
		return 0, ErrTransform
	}
	return le.Uint64(frame[sessionIDOffset:]), nil
}

// Open decrypts a frame in place and returns the message in it. Nothing is
// returned that is not authentic; after an error the frame's contents are
// undefined. With TagSize bytes of spare capacity behind the frame, which are
// overwritten, nothing is copied.
func (s *Sealer) Open(frame []byte) ([]byte, error) {
	if _, err := TransformSession(frame); err != nil {
		return nil, err
	}
	nonce := frame[nonceOffset : nonceOffset+s.aead.nonceSize()]
	tag := (*[tagSize]byte)(frame[tagOffset:])
	message := frame[TransformSize:]
	if !s.aead.open(tag, nonce, message, frame[nonceOffset:TransformSize]) {
		return nil, ErrOpen
	}
	return message, nil
}
