package auth

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/srp"
)

// Users knows who may log in. It is a plug point: the program's own is Store,
// a program that embeds the server may bring another. Its methods may be called
// by several goroutines at once.
type Users interface {
	// Lookup finds a user by the name a client sent, whatever its case. The
	// error is ErrUnknownUser, possibly wrapped, if there is no such user, and
	// another if that can't be said.
	Lookup(name string) (Record, error)

	// Identity tells who the user of a record is on this machine. It is asked
	// after each login.
	Identity(r Record) (*Identity, error)
}

// Changer is what Users may be as well, to let users change their passwords.
type Changer interface {
	// Change changes what is kept about a user, but not the name, and returns
	// when that is safe. An error of change is returned, and nothing changed. One
	// that wraps ErrReadOnly or ErrNoSpace is told to the client as what it is.
	Change(name string, change func(*Record) error) error
}

// ErrUnknownUser is the error of a name that no user has.
var ErrUnknownUser = errors.New("no such user")

// ErrExists is the error of adding a name that a user has already.
var ErrExists = errors.New("there is such a user already")

// Record is what is kept about a user: of the password only what the login
// mechanisms need to check it.
type Record struct {
	Name string // in the spelling of whoever added it

	// NTHash is what NTLM checks. To whoever has it, it is as good as the
	// password. Zero: there is no password yet, and no way to log in.
	NTHash [16]byte

	// SRPSalt and SRPVerifier are what SRP checks. They are empty where the hash
	// came from another server, since only the password itself makes them.
	SRPSalt, SRPVerifier []byte

	// UnixUser is the account of this machine that the user acts as. Empty:
	// the one with the same name, if there is one.
	UnixUser string

	// Disabled users keep their record and may not log in.
	Disabled bool
}

// NewRecord returns the record of a user with a password.
func NewRecord(name, password string) (Record, error) {
	if err := checkName(name); err != nil {
		return Record{}, err
	}
	r := Record{Name: name}
	err := r.SetPassword(password)
	return r, err
}

// HasPassword reports whether there is a password to log in with.
func (r *Record) HasPassword() bool { return r.NTHash != [16]byte{} }

// SetPassword makes r check another password. The error is a PasswordError.
func (r *Record) SetPassword(password string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	r.NTHash = NTHash(password)
	r.SRPSalt, r.SRPVerifier = srp.NewVerifier(r.Name, password)
	return nil
}

// MinPassword is how many characters a password must have that its owner chooses
// from afar. Whoever may run dozo user is free in that.
const MinPassword = 8

// maxName and maxPassword are in bytes. AFP has a byte for each length.
const (
	maxName     = 64
	maxPassword = 255
)

// checkName refuses names that some client could not send. The characters are
// those that Windows does not take.
func checkName(name string) error {
	const forbidden = `"/\[]:;|=,+*?<>`
	switch {
	case name == "":
		return errors.New("a user needs a name")
	case len(name) > maxName:
		return fmt.Errorf("the user name is longer than %d bytes", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("the user name %q is not readable text", name)
	case strings.ContainsAny(name, forbidden):
		return fmt.Errorf("the user name %q has a character out of %s", name, forbidden)
	case strings.TrimSpace(name) != name || strings.HasSuffix(name, "."):
		return fmt.Errorf("the user name %q begins with a space or ends with a space or dot", name)
	}
	return nil
}

func checkPassword(password string) error {
	switch {
	case password == "":
		return PasswordError("the password is empty")
	case len(password) > maxPassword:
		return PasswordError(fmt.Sprintf("the password is longer than %d bytes", maxPassword))
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return PasswordError("the password is not readable text")
	}
	return nil
}

// fold maps the spellings of a name that count as one to one string.
func fold(name string) string { return strings.Map(unicode.ToUpper, name) }

// SameName reports whether a and b are spellings of one user's name.
func SameName(a, b string) bool { return fold(a) == fold(b) }
