package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/netip"
	"strings"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/srp"
)

// The reasons for which a try is refused. A client must not learn which it was.
var (
	ErrWrongPassword = errors.New("wrong password")
	ErrDisabled      = errors.New("the user is disabled")
	ErrNoPassword    = errors.New("the user has no password yet")
	ErrNoVerifier    = errors.New("the password was never set here, so SRP can't check it; set it once more with: dozo user password NAME")
	ErrSpelling      = errors.New("the name is not spelt as in the list of users, which counts for SRP; see it with: dozo user list")
)

// PasswordChecker is what Users may be as well, where the passwords are kept
// elsewhere: by a directory server, or by PAM. Only logins that bring the
// password itself can be checked so, those of AFP; over SMB a Record without a
// hash can't log in.
type PasswordChecker interface {
	// CheckPassword returns nil if the password is that of a user whom Lookup
	// found. The error is ErrWrongPassword, possibly wrapped, if it is not, and
	// another if that can't be said.
	CheckPassword(ctx context.Context, r Record, password string) error
}

// Attempt is one try of a client to prove that it is a user: to log in, or to
// have its password changed. Whatever the protocol and the mechanism, all tries
// share one Guard, so that a guess counts wherever it is made.
//
// A mechanism takes from NTHash or Verifier what it checks the password with, and
// says by Settle how that ended; or the password itself is checked by
// CheckPassword. An Attempt is used by one goroutine at a time.
type Attempt struct {
	Users Users // nil: there are none
	Guard *Guard
	From  netip.Addr // the client's

	name   string // that the client sent
	found  Record // with a name once somebody has that one
	reason error  // to refuse whatever the password is
	proved bool   // that the password is the user's
}

// User returns the record of the user, with no name as long as it is nobody's.
func (a *Attempt) User() Record { return a.found }

// find looks a user up by the name that a client sent.
func (a *Attempt) find(name string) {
	a.name, a.found, a.reason, a.proved = name, Record{}, nil, false
	if a.Users == nil {
		a.reason = ErrUnknownUser
		return
	}
	r, err := a.Users.Lookup(name)
	switch {
	case err != nil:
		a.reason = err
		return
	case r.Disabled:
		a.reason = ErrDisabled
	}
	a.found = r
}

// NTHash returns the hash of a user's password, for NTLM. The error is the reason
// to refuse the user whatever the password is.
func (a *Attempt) NTHash(name string) ([16]byte, error) {
	a.find(name)
	if a.reason == nil && !a.found.HasPassword() {
		a.reason = ErrNoPassword
	}
	if a.reason != nil {
		return [16]byte{}, a.reason
	}
	return a.found.NTHash, nil
}

// Verifier returns what SRP checks a user's password with. If the user is to be
// refused whatever the password is, that is a decoy, lest a client learn who
// exists; Settle then tells the reason. Decoys are made of a secret, which should
// stay the same as long as the users do.
func (a *Attempt) Verifier(name string, secret []byte) (salt, verifier []byte) {
	a.find(name)
	if len(a.found.SRPVerifier) == 0 {
		if a.reason == nil {
			a.reason = ErrNoVerifier
		}
		// All spellings that would be one user have one salt, as with a user.
		key, _, _ := strings.Cut(fold(name), "@")
		return srp.Decoy(secret, key)
	}
	if a.reason == nil && a.found.Name != name {
		a.reason = ErrSpelling
	}
	return a.found.SRPSalt, a.found.SRPVerifier
}

// CheckPassword says whether a password is that of a user. The error is
// ErrUnknownUser, ErrWrongPassword, ErrDisabled or ErrNoPassword, possibly
// wrapped, a *HeldError, or another if it can't be said.
func (a *Attempt) CheckPassword(ctx context.Context, name, password string) error {
	a.find(name)
	c, elsewhere := a.Users.(PasswordChecker)
	if a.reason == nil && elsewhere {
		return a.Settle(c.CheckPassword(ctx, a.found, password))
	}
	if a.reason == nil && !a.found.HasPassword() {
		a.reason = ErrNoPassword
	}
	// Who is refused in any case is compared, too, so that the time of an answer
	// does not tell who exists.
	want, got := a.found.NTHash, NTHash(password)
	if subtle.ConstantTimeCompare(want[:], got[:]) != 1 || !utf8.ValidString(password) {
		return a.Settle(ErrWrongPassword)
	}
	return a.Settle(nil)
}

// Settle has the last word about a try in which a password was looked at and
// found right, which is nil, or wrong for a reason. It returns the error that
// counts: a *HeldError, the reason for which the user is refused in any case, or
// wrong.
func (a *Attempt) Settle(wrong error) error {
	a.proved = false
	if a.reason != nil {
		wrong = a.reason
	}
	if wrong != nil && !isGuess(wrong) {
		return wrong
	}
	name, exists := a.found.Name, a.found.Name != ""
	if !exists {
		name = a.name
	}
	if held := a.Guard.Settle(name, exists, a.From, wrong == nil); held != nil {
		return held
	}
	a.proved = wrong == nil
	return wrong
}

// isGuess tells the reasons that a stranger can bring about by trying passwords.
// A client can't tell one from the other.
func isGuess(reason error) bool {
	for _, r := range []error{ErrWrongPassword, ErrUnknownUser, ErrDisabled, ErrNoPassword, ErrNoVerifier, ErrSpelling} {
		if errors.Is(reason, r) {
			return true
		}
	}
	return false
}
