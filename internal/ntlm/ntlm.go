// Package ntlm speaks NTLM ([MS-NLMP]), the login of a server without a domain.
// It has both sides: Acceptor for the server, Initiator for the program's own
// clients.
//
// The client opens with NEGOTIATE, the server answers with a CHALLENGE, the
// client proves with AUTHENTICATE that it knows the password's hash. Only
// NTLMv2 with extended session security is spoken. LM, LMv2 and NTLMv1, which
// can be broken in hours, are refused.
package ntlm

import (
	"errors"
	"fmt"
)

// signature begins every message, with a message type behind it.
const signature = "NTLMSSP\x00"

const (
	typeNegotiate    = 1
	typeChallenge    = 2
	typeAuthenticate = 3
)

// maxMessage bounds what is looked at, in bytes. The longest part of a message
// from a real client is the copy of our target info with a name or two more.
const maxMessage = 16 << 10

// flags are what the sides agree on ([MS-NLMP] 2.2.2.5).
type flags uint32

const (
	flagUnicode          flags = 0x00000001
	flagRequestTarget    flags = 0x00000004
	flagSign             flags = 0x00000010
	flagSeal             flags = 0x00000020
	flagNTLM             flags = 0x00000200
	flagAnonymous        flags = 0x00000800
	flagAlwaysSign       flags = 0x00008000
	flagTargetTypeServer flags = 0x00020000
	flagExtendedSecurity flags = 0x00080000
	flagTargetInfo       flags = 0x00800000
	flagVersion          flags = 0x02000000
	flag128              flags = 0x20000000
	flagKeyExchange      flags = 0x40000000
	flag56               flags = 0x80000000

	// flagsRequired are those without which nothing here makes sense.
	flagsRequired = flagUnicode | flagExtendedSecurity
	// flagsChosen are granted to a client that offers them.
	flagsChosen = flagSign | flagSeal | flagAlwaysSign | flag128 | flagKeyExchange | flag56
)

func (f flags) has(g flags) bool { return f&g == g }

// The reasons of a refused login. A client must not learn which it was.
var (
	ErrMalformed     = errors.New("ntlm: malformed message")
	ErrOrder         = errors.New("ntlm: message out of order")
	ErrCapabilities  = errors.New("ntlm: client lacks Unicode or extended session security")
	ErrWeak          = errors.New("ntlm: client answered with LM or NTLMv1, which are not accepted")
	ErrNoProof       = errors.New("ntlm: client sent no proof of a password")
	ErrUnknownUser   = errors.New("ntlm: unknown user")
	ErrWrongPassword = errors.New("ntlm: wrong password")
	ErrMIC           = errors.New("ntlm: messages were changed on the way")
)

// LogonError is the error of a login by a certain user.
type LogonError struct {
	User, Domain, Workstation string // as the client claims
	Err                       error  // one of the above, or from Accounts
}

func (e *LogonError) Error() string {
	return fmt.Sprintf("login of %q from %q: %v", e.User, e.Workstation, e.Err)
}

func (e *LogonError) Unwrap() error { return e.Err }
