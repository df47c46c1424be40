// Package srp speaks SRP, the login of AFP in which the password never leaves the
// client: both sides prove to each other that they know it, or what was made of
// it. It has both sides: Acceptor for the server, Initiator for the program's own
// clients. Their messages are what AFP carries as the information of a user
// authentication method:
//
//	client  1                 in FPLoginExt, which has the user's name
//	server  2, N, g, salt, B  behind an ID, which is 0
//	client  3, A, M1          likewise
//	server  4, M2
//
// Apple never published it; this is what netatalk's programmers found out from a
// Time Capsule and from macOS 26 (https://netatalk.io/spec/SRP_UAM): SRP-6a of
// RFC 5054 with its group of 1536 bits and SHA-1, a key of 40 bytes by MGF1, and
// the proofs of RFC 2945.
//
// A verifier holds the name as it was spelt when it was made, and a client proves
// with the name as it was typed: SRP is the one login for which upper and lower
// case count.
//
// The arithmetic is that of math/big, whose time depends on the numbers. On the
// server the one secret exponent is drawn for one login, so it can't be measured
// again and again, and the verifier is only multiplied, or raised to a power that
// the client knows. A client raises to a power that is made of the password, for
// as long as its user wants to log in. Proofs are compared in constant time.
package srp

import "errors"

// Sizes in bytes of what is kept of a password.
const (
	SaltSize     = 16
	VerifierSize = groupSize
)

// The reasons of a refused login.
var (
	ErrMalformed = errors.New("srp: malformed message")
	ErrOrder     = errors.New("srp: message out of order")
	ErrGroup     = errors.New("srp: another group than that of 1536 bits")
	ErrPublic    = errors.New("srp: the public value would make the key known")
	ErrVerifier  = errors.New("srp: the salt or the verifier is none")
	// ErrProof means that the password is wrong, which AFP tells by error -6754;
	// to a client, that the server did not have the verifier.
	ErrProof = errors.New("srp: the proof is wrong")
)
