package auth

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"math/big"
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

// The parameters of SRP as Macs use it over AFP: SRP-6a with SHA-1 in the group
// of 1536 bits of RFC 5054.
const (
	srpSaltSize     = 16
	srpVerifierSize = 1536 / 8
	srpGroup        = "" +
		"9DEF3CAFB939277AB1F12A8617A47BBBDBA51DF499AC4C80BEEEA9614B19CC4D" +
		"5F4F5F556E27CBDE51C6A94BE4607A291558903BA0D0F84380B655BB9A22E8DC" +
		"DF028A7CEC67F0D08134B1C8B97989149B609E0BE3BAB63D47548381DBC5B1FC" +
		"764E3F4B53DD9DA1158BFD3E2B9C8CF56EDF019539349627DB2FD53D24B7C486" +
		"65772E437D6C7F8CE442734AF7CCB7AE837C264AE3A9BEB87F8A2FE9B8B5292E" +
		"5A021FFF5E91479E8CE7A28C2442C6F315180F93499A234DCF76E3FED135F9BB"
)

var (
	srpN, _ = new(big.Int).SetString(srpGroup, 16)
	srpG    = big.NewInt(2)
)

// newVerifier returns a fresh salt and the verifier of a password with it
// (RFC 5054 2.5.3).
func newVerifier(user, password string) (salt, verifier []byte) {
	salt = make([]byte, srpSaltSize)
	rand.Read(salt)
	x := new(big.Int).SetBytes(srpPrivate(salt, user, password))
	v := x.Exp(srpG, x, srpN)
	return salt, v.FillBytes(make([]byte, srpVerifierSize))
}

// srpPrivate is x of RFC 5054 2.4.
func srpPrivate(salt []byte, user, password string) []byte {
	inner := sha1.Sum([]byte(user + ":" + password))
	outer := sha1.Sum(append(salt[:len(salt):len(salt)], inner[:]...))
	return outer[:]
}
