package srp

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
)

// NewVerifier returns a fresh salt and the verifier of a user's password with it,
// which is all that a server keeps. Who has them can try passwords out, and can
// let himself in as a server, but not as the user.
func NewVerifier(user, password string) (salt, verifier []byte) {
	salt = make([]byte, SaltSize)
	rand.Read(salt)
	return salt, apple.pad(apple.power(private(user, password, salt)))
}

// Decoy returns a salt and a verifier for a user who has none, so that a login
// looks and lasts like any other and fails at its end. The same secret makes the
// same ones of a name, as there is one salt for a user who exists. No password
// leads to them.
func Decoy(secret []byte, user string) (salt, verifier []byte) {
	const spare = 16 // bytes more than N has, lest some numbers be likelier
	b, err := hkdf.Key(sha256.New, secret, nil, "dozo SRP decoy: "+user, SaltSize+VerifierSize+spare)
	if err != nil {
		panic(err) // the length is right
	}
	v := number(b[SaltSize:])
	return b[:SaltSize], apple.pad(v.Mod(v, apple.n))
}
