package auth

import (
	"encoding/binary"
	"unicode/utf16"

	//lint:ignore SA1019 NTLM is built on MD4.
	"golang.org/x/crypto/md4"
)

// NTHash returns the hash that NTLM knows a password by: MD4 of its UTF-16
// ([MS-NLMP] 3.3.1, NTOWFv1).
func NTHash(password string) [16]byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(password)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	h := md4.New()
	h.Write(b)
	return [16]byte(h.Sum(nil))
}
