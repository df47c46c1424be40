// Package smbcrypt holds the cryptography of SMB 2 and 3: the preauthentication
// hash, the keys of a session, the signatures of messages and their encryption.
//
// It knows the few header fields that the algorithms need ([MS-SMB2] 2.2.1 and
// 2.2.41) and nothing else of the protocol. Everything here may be used by
// several goroutines at once, except a PreauthHash.
package smbcrypt

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// Dialect is a version of the protocol, as NEGOTIATE names it.
type Dialect uint16

// The dialects ([MS-SMB2] 2.2.3).
const (
	Dialect202 Dialect = 0x0202
	Dialect210 Dialect = 0x0210
	Dialect300 Dialect = 0x0300
	Dialect302 Dialect = 0x0302
	Dialect311 Dialect = 0x0311
)

// PreauthHash is the preauthentication integrity hash of SMB 3.1.1: a chain of
// SHA-512 over the messages of NEGOTIATE and SESSION_SETUP, each without its
// transport header ([MS-SMB2] 3.3.5.4). The zero value begins a chain; a copy
// branches it, as each session does with its connection's.
type PreauthHash [sha512.Size]byte

// Update adds a message as it went over the wire.
func (p *PreauthHash) Update(message []byte) {
	h := sha512.New()
	h.Write(p[:])
	h.Write(message)
	h.Sum(p[:0])
}

// Keys are the keys of a session, or of one of its channels.
type Keys struct {
	Signing     [16]byte // of both directions
	Application [16]byte // for protocols above SMB; zero before 3.0

	// ServerOut encrypts what the server sends, ServerIn what it receives: 16
	// or 32 bytes, nil when there is no cipher.
	ServerOut, ServerIn []byte
}

// A purpose is a row of the table of [MS-SMB2] 3.1.4.2: what a key is derived
// with. From 3.1.1 on the context is the preauthentication hash.
type purpose struct {
	label30, context30 string
	label311           string
}

var (
	signing     = purpose{"SMB2AESCMAC\x00", "SmbSign\x00", "SMBSigningKey\x00"}
	application = purpose{"SMB2APP\x00", "SmbRpc\x00", "SMBAppKey\x00"}
	serverOut   = purpose{"SMB2AESCCM\x00", "ServerOut\x00", "SMBS2CCipherKey\x00"}
	serverIn    = purpose{"SMB2AESCCM\x00", "ServerIn \x00", "SMBC2SCipherKey\x00"}
)

// DeriveKeys computes the keys that follow from the key a login mechanism
// agreed on, which is used whole for 256-bit ciphers and else cut or zero
// padded to 16 bytes. preauth is read for Dialect311 only and is the hash
// before the final SESSION_SETUP response. cipher is 0 when there is none.
func DeriveKeys(d Dialect, sessionKey []byte, preauth *PreauthHash, cipher Cipher) Keys {
	var key [16]byte
	copy(key[:], sessionKey)
	if d < Dialect300 {
		return Keys{Signing: key}
	}
	derive := func(key []byte, p purpose, size int) []byte {
		if d < Dialect311 {
			return kdf(key, p.label30, []byte(p.context30), size)
		}
		return kdf(key, p.label311, preauth[:], size)
	}
	k := Keys{
		Signing:     [16]byte(derive(key[:], signing, 16)),
		Application: [16]byte(derive(key[:], application, 16)),
	}
	if size := cipher.KeySize(); size > 0 {
		root := key[:]
		if size == 32 {
			root = sessionKey
		}
		k.ServerOut = derive(root, serverOut, size)
		k.ServerIn = derive(root, serverIn, size)
	}
	return k
}

// kdf is the counter mode of NIST SP800-108 with HMAC-SHA256 and 32-bit
// counter and length, for a key of at most one block, which is all SMB asks of
// it ([MS-SMB2] 3.1.4.2).
func kdf(key []byte, label string, context []byte, size int) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte{0, 0, 0, 1}) // the counter, of the first and only round
	h.Write([]byte(label))
	h.Write([]byte{0})
	h.Write(context)
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(size)*8))
	return h.Sum(nil)[:size:size]
}
