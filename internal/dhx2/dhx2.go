// Package dhx2 speaks DHX2, the login of AFP that brings the password itself to
// the server, encrypted with a key that both sides agree on by Diffie-Hellman.
// It has both sides: Acceptor for the server, Initiator for the program's own
// clients. Their messages are what AFP carries as the information of a user
// authentication method, behind an ID that the client sends back:
//
//	server  ID    g, length, p, Mb                       to FPLogin, FPLoginExt
//	client  ID    Ma, {client's nonce}
//	server  ID+1  {client's nonce + 1, server's nonce}
//	client  ID+1  {server's nonce + 1, password}
//
// Braces are CAST-128 in CBC mode, with a constant IV for each direction and the
// MD5 of the common secret as the key. A change of a password is the same
// exchange within FPChangePassword, and ends with the new and the old password.
// Apple tells all this in the AFP Programming Guide, "Diffie-Hellman Key Exchange
// 2".
//
// The user's name is not part of it, and the server answers the same whoever it
// is. Nothing proves who the server is: who can change what is on the wire can
// read the password. Who can only read along has to solve a discrete logarithm
// of 1024 bits. SRP (package srp) has neither weakness.
//
// The arithmetic is that of math/big, whose time depends on the numbers. What is
// secret among them is an exponent that is drawn for one exchange and raises two
// numbers, so nobody can measure it more than twice. Nonces are compared in
// constant time.
package dhx2

import "errors"

// The reasons of a refused exchange.
var (
	ErrMalformed = errors.New("dhx2: malformed message")
	ErrOrder     = errors.New("dhx2: message out of order")
	ErrGroup     = errors.New("dhx2: the group is too small, too large or no group")
	ErrPublic    = errors.New("dhx2: the public value would make the key known")
	ErrNonce     = errors.New("dhx2: the nonce is not the one that was sent")
	ErrLong      = errors.New("dhx2: the password is longer than 256 bytes")
)

const (
	nonceSize = 16
	// passwordSize is the room for a password, which is padded with zeros.
	passwordSize = 256
)
