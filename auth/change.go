package auth

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// The reasons for which a password is not changed, beside those of an Attempt and
// a PasswordError. The last two are for a Changer to wrap.
var (
	ErrFixed            = errors.New("this list of users can't be changed")
	ErrChangedMeanwhile = errors.New("it was changed meanwhile")
	ErrReadOnly         = errors.New("this program may not write the list of users")
	ErrNoSpace          = errors.New("there is no room for the list of users")
)

// PasswordError says why something can't be a password.
type PasswordError string

func (e PasswordError) Error() string { return string(e) }

// ChangePassword gives the user another password, and returns when that is safe.
// The try must have been settled: the user has proved to know the old one, and
// that is still the password. The error is a PasswordError if the new one is not
// fit, ErrFixed where Users is no Changer, ErrChangedMeanwhile, or what the
// Changer says.
func (a *Attempt) ChangePassword(password string) error {
	if !a.proved {
		return ErrWrongPassword
	}
	if utf8.RuneCountInString(password) < MinPassword {
		return PasswordError(fmt.Sprintf("the new one has less than %d characters", MinPassword))
	}
	fresh := a.found
	if err := fresh.SetPassword(password); err != nil {
		return err
	}
	changer, ok := a.Users.(Changer)
	if !ok {
		return ErrFixed
	}
	return changer.Change(fresh.Name, func(r *Record) error {
		if r.NTHash != a.found.NTHash {
			return ErrChangedMeanwhile
		}
		r.NTHash, r.SRPSalt, r.SRPVerifier = fresh.NTHash, fresh.SRPSalt, fresh.SRPVerifier
		return nil
	})
}
