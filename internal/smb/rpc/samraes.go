package rpc

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/binary"
)

// aesPassword has the new password encrypted, and what is encrypted signed, with
// keys that are made with much work from the hash of the old one ([MS-SAMR]
// 2.2.6.32).
type aesPassword struct {
	proof      [sha512.Size]byte
	salt       [aes.BlockSize]byte
	sealed     []byte
	iterations uint64
}

const (
	// A client says how much work it is to make the keys, within these bounds
	// ([MS-SAMR] 3.1.5.10.4). The upper one takes a second or two.
	minIterations = 5_000
	maxIterations = 1_000_000

	// maxSealedAES is more than a password of the greatest length takes, in
	// bytes.
	maxSealedAES = 1024
)

// changePasswordAES is SamrUnicodeChangePasswordUser4 ([MS-SAMR] 3.1.5.10.4).
func changePasswordAES(c *call) error {
	c.skipCounted() // the server's name
	user := c.countedText()
	var n aesPassword
	n.decode(c.in)
	if err := c.in.Err(); err != nil {
		return err
	}
	if n.iterations < minIterations || n.iterations > maxIterations {
		c.out.u32(statusInvalidParameter)
		return nil
	}
	c.out.u32(c.pipe.env.change(user, &n))
	return nil
}

func (n *aesPassword) decode(in *decoder) {
	in.Align(8)
	in.Copy(n.proof[:])
	in.Copy(n.salt[:])
	size := in.u32()
	there := in.pointer()
	n.iterations = in.U64()
	if !there || in.count(1) != int(size) || size > maxSealedAES {
		in.Failf("encrypted password of %d bytes", size)
		return
	}
	n.sealed = in.Bytes(int(size))
}

// Open is that of NewPassword.
func (n *aesPassword) Open(old [16]byte) (password string, right bool) {
	encrypt, sign := n.keys(old)
	proof := n.sum(sign)
	if subtle.ConstantTimeCompare(proof[:], n.proof[:]) != 1 || len(n.sealed)%aes.BlockSize != 0 {
		return "", false
	}
	plain := make([]byte, len(n.sealed))
	block, _ := aes.NewCipher(encrypt) // fails for other sizes of keys
	cipher.NewCBCDecrypter(block, n.salt[:]).CryptBlocks(plain, n.sealed)
	// A length, the password, and padding.
	if len(plain) < 2 {
		return "", false
	}
	length := int(binary.LittleEndian.Uint16(plain))
	if length > passwordRoom || length%2 != 0 || length > len(plain)-2 {
		return "", false
	}
	return fromUTF16(plain[2 : 2+length]), true
}

// keys makes the keys to encrypt and to sign ([MS-SAMR] 3.2.2.5).
func (n *aesPassword) keys(old [16]byte) (encrypt, sign []byte) {
	const size = 16
	key, _ := pbkdf2.Key(sha512.New, string(old[:]), n.salt[:], int(n.iterations), size) // fails for sizes that nobody uses
	derive := func(use string) []byte {
		h := hmac.New(sha512.New, key)
		h.Write([]byte("Microsoft SAM " + use + " key AEAD-AES-256-CBC-HMAC-SHA512 16\x00"))
		return h.Sum(nil)
	}
	return derive("encryption")[:32], derive("MAC")
}

// sum signs the password, with a version before and the version's size behind
// it.
func (n *aesPassword) sum(key []byte) (sum [sha512.Size]byte) {
	h := hmac.New(sha512.New, key)
	h.Write([]byte{1})
	h.Write(n.salt[:])
	h.Write(n.sealed)
	h.Write([]byte{1})
	h.Sum(sum[:0])
	return sum
}
