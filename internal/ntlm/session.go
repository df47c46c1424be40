package ntlm

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
)

// Session is the outcome of a login.
type Session struct {
	User        string // as the client spelled it; empty when Anonymous
	Domain      string
	Workstation string
	Version     Version // of the client's system
	Anonymous   bool    // the client claims to be nobody
	Guest       bool    // the user is unknown and let in as a guest

	// Key is the exported session key. The client of a Guest can't know it, and
	// everybody can know that of an Anonymous session.
	Key [16]byte

	send, receive *sealing // nil when there are no common keys
}

// newSession makes the keys for signing from the exported session key.
func newSession(key [16]byte, f flags, server bool) *Session {
	toServer := newSealing(key, f, "client-to-server")
	toClient := newSealing(key, f, "server-to-client")
	if server {
		return &Session{Key: key, send: toClient, receive: toServer}
	}
	return &Session{Key: key, send: toServer, receive: toClient}
}

// CanSign reports whether Sign and Verify may be used: only both sides of a
// login with a password have the keys.
func (s *Session) CanSign() bool { return s.send != nil }

// Sign returns the signature of the next message to the peer: GSS_GetMIC.
func (s *Session) Sign(message []byte) []byte {
	m := s.send.next(message)
	return m[:]
}

// Verify reports whether sig is the signature of the next message from the
// peer: GSS_VerifyMIC.
func (s *Session) Verify(message, sig []byte) bool {
	m := s.receive.next(message)
	return hmac.Equal(m[:], sig)
}

// ResetCiphers begins encryption anew, while messages are counted on: what SPNEGO
// asks for after it has signed with them ([MS-SPNG] 3.3.5.1).
func (s *Session) ResetCiphers() {
	s.send.reset()
	s.receive.reset()
}

// Seal encrypts a part of the next message to the peer in its place and returns
// the signature of the whole as it was: GSS_WrapEx.
func (s *Session) Seal(message, part []byte) []byte {
	m := s.send.seal(message, part)
	return m[:]
}

// Unseal decrypts a part of the next message from the peer in its place and
// reports whether sig is the signature of the whole: GSS_UnwrapEx.
func (s *Session) Unseal(message, part, sig []byte) bool {
	s.receive.cipher.XORKeyStream(part, part)
	return s.Verify(message, sig)
}

// sealing makes the signatures of one direction ([MS-NLMP] 3.4, with extended
// session security).
type sealing struct {
	signKey  [16]byte
	sealKey  [16]byte
	cipher   *rc4.Cipher // runs on from message to message
	exchange bool        // checksums are encrypted
	sequence uint32
}

// newSealing derives the keys of a direction ([MS-NLMP] 3.4.5.2 and 3.4.5.3).
func newSealing(key [16]byte, f flags, direction string) *sealing {
	derive := func(key []byte, use string) [16]byte {
		return md5.Sum(append(key[:len(key):len(key)], "session key to "+direction+" "+use+" key magic constant\x00"...))
	}
	strong := key[:5]
	if f.has(flag128) {
		strong = key[:]
	} else if f.has(flag56) {
		strong = key[:7]
	}
	s := &sealing{
		signKey:  derive(key[:], "signing"),
		sealKey:  derive(strong, "sealing"),
		exchange: f.has(flagKeyExchange),
	}
	s.reset()
	return s
}

func (s *sealing) reset() { s.cipher = newRC4(s.sealKey[:]) }

// next returns the signature of the next message ([MS-NLMP] 3.4.4.2).
func (s *sealing) next(message []byte) [16]byte { return s.seal(message, nil) }

// seal is next, and encrypts a part of the message ([MS-NLMP] 3.4.3). The
// signature is of what it was, and encrypted behind it.
func (s *sealing) seal(message, part []byte) [16]byte {
	le := binary.LittleEndian
	var sig [16]byte
	le.PutUint32(sig[12:], s.sequence)
	sum := hmacMD5(s.signKey[:], sig[12:], message)
	s.cipher.XORKeyStream(part, part)
	le.PutUint32(sig[0:], 1)
	copy(sig[4:12], sum[:])
	if s.exchange {
		s.cipher.XORKeyStream(sig[4:12], sig[4:12])
	}
	s.sequence++
	return sig
}

func newRC4(key []byte) *rc4.Cipher {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // only for keys of no or more than 256 bytes
	}
	return c
}

// exchangeKey encrypts or decrypts a session key with another.
func exchangeKey(with [16]byte, key []byte) (out [16]byte) {
	newRC4(with[:]).XORKeyStream(out[:], key)
	return out
}
