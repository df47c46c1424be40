package uam

import (
	"bytes"
	"errors"
	"fmt"
)

// clearSize is the room for a password in clear text, padded with zeros. Who has
// a longer password can't log in so: clients cut it off, and what is left is
// another password.
const clearSize = 8

// ErrMalformed is the error of a message that is cut.
var ErrMalformed = errors.New("uam: malformed message")

// Cleartext returns the password that a client sent in clear text, behind the
// user's name.
func Cleartext(auth []byte) (string, error) {
	if len(auth) < clearSize {
		return "", fmt.Errorf("%w: a password of %d bytes, want %d", ErrMalformed, len(auth), clearSize)
	}
	password, _, _ := bytes.Cut(auth[:clearSize], []byte{0})
	return string(password), nil
}
