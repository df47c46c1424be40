package auth

import "errors"

// ErrUnknownUser is the error of Users.Lookup for a name that nobody has.
var ErrUnknownUser = errors.New("unknown user")

// Record is what is known about a user. It holds what is as good as the
// password, so it is never logged or shown.
type Record struct {
	Name        string
	NTHash      [16]byte // MD4 of the password in UTF-16: what NTLM needs
	SRPSalt     []byte   // with SRPVerifier: what SRP needs
	SRPVerifier []byte
	UnixUser    string // account of this machine, if it is not of the same name
	Disabled    bool
}

// Users is the plug point for lists of users. Its methods may be called by
// several goroutines at once.
type Users interface {
	// Lookup returns the record of a name, which compares without regard to
	// case, or ErrUnknownUser.
	Lookup(name string) (Record, error)

	// Identity returns who a user is on this machine.
	Identity(r Record) (*Identity, error)
}
