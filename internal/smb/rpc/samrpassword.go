package rpc

import (
	"crypto/des"
	"crypto/rc4"
	"crypto/subtle"
	"encoding/binary"
	"unicode/utf16"

	"github.com/dozo-server/dozo/auth"
)

const statusPasswordRestriction = 0xC000006C

// NewPassword is what a client sends to change a password. Only who knows the
// old one can have made it, and read it.
type NewPassword interface {
	// Open returns the new password, and whether the client knows the old one,
	// whose hash is given.
	Open(old [16]byte) (password string, right bool)
}

// rc4Password has the new password encrypted with the hash of the old, and the
// hash of the old encrypted with that of the new.
type rc4Password struct {
	sealed [sealedSize]byte
	proof  [16]byte
}

// sealedSize is that of an encrypted password ([MS-SAMR] 2.2.6.21), in bytes:
// room for the password, which stands at its end, and its length.
const (
	passwordRoom = 512
	sealedSize   = passwordRoom + 4
)

func (n *rc4Password) Open(old [16]byte) (password string, right bool) {
	cipher, _ := rc4.NewCipher(old[:]) // fails for other sizes of keys
	var plain [sealedSize]byte
	cipher.XORKeyStream(plain[:], n.sealed[:])
	length := binary.LittleEndian.Uint32(plain[passwordRoom:])
	right = length <= passwordRoom && length%2 == 0
	if !right {
		length = 0
	}
	password = fromUTF16(plain[passwordRoom-length : passwordRoom])
	proof := encryptHash(old, auth.NTHash(password))
	return password, subtle.ConstantTimeCompare(proof[:], n.proof[:]) == 1 && right
}

func fromUTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// encryptHash encrypts a hash with another ([MS-SAMR] 2.2.11.1.1): each half with
// DES, whose two keys are the first 14 bytes of the other.
func encryptHash(hash, with [16]byte) (out [16]byte) {
	for i := range 2 {
		key := spread([7]byte(with[7*i:]))
		block, _ := des.NewCipher(key[:]) // fails for other sizes of keys
		block.Encrypt(out[8*i:8*i+8], hash[8*i:8*i+8])
	}
	return out
}

// spread makes a key of DES, which has 7 bits a byte and one that is ignored, of
// 56 bits ([MS-SAMR] 2.2.11.1.2).
func spread(b [7]byte) (key [8]byte) {
	var all [8]byte
	copy(all[1:], b[:])
	v := binary.BigEndian.Uint64(all[:])
	for i := range key {
		key[i] = uint8(v>>(49-7*i)) << 1
	}
	return key
}

// changePassword is SamrUnicodeChangePasswordUser2 ([MS-SAMR] 3.1.5.10.3).
func changePassword(c *call) error {
	user, n, err := readNewPassword(c)
	if err != nil {
		return err
	}
	c.out.u32(c.pipe.env.change(user, n))
	return nil
}

// changePasswordOrSayWhy is the operation 63 of Windows XP, which is in no
// specification: changePassword, with the rules where they were not kept.
func changePasswordOrSayWhy(c *call) error {
	user, n, err := readNewPassword(c)
	if err != nil {
		return err
	}
	status := c.pipe.env.change(user, n)
	e := c.out
	restricted := status == statusPasswordRestriction
	e.pointer(restricted)
	if restricted { // DOMAIN_PASSWORD_INFORMATION ([MS-SAMR] 2.2.3.5)
		e.u16(auth.MinPassword)
		e.u16(0)  // old ones are not remembered
		e.u32(0)  // nothing more is asked of it
		e.Zero(8) // it never expires
		e.Zero(8) // and may be changed at once
	}
	e.pointer(restricted)
	if restricted {
		const tooShort = 1
		e.u32(tooShort)
		e.u32(0)         // no filter
		e.pointer(false) // that has a name
	}
	e.u32(status)
	return nil
}

// readNewPassword reads the arguments of both, but for those with LM hashes.
func readNewPassword(c *call) (user string, n *rc4Password, err error) {
	c.skipCounted() // the server's name
	user = c.countedText()
	n = &rc4Password{}
	whole := c.in.pointer()
	if whole {
		c.in.Copy(n.sealed[:])
	}
	proven := c.in.pointer()
	if proven {
		c.in.Copy(n.proof[:])
	}
	if !whole || !proven {
		c.in.Failf("no new password or no proof of the old one")
	}
	return user, n, c.in.Err()
}

// change changes a password, unless nobody's may be, and returns the status for the client.
func (e *Env) change(user string, n NewPassword) uint32 {
	if e.ChangePassword == nil {
		return statusAccessDenied
	}
	return e.ChangePassword(user, n)
}
