package uam

import (
	"errors"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/dhx2"
	"github.com/dozo-server/dozo/internal/srp"
)

// Login is the client's side of a login. A client sends Name and Begin with
// FPLogin or FPLoginExt. As long as the server wants to go on, it sends the
// Answer to each reply with FPLoginCont; the last reply goes to Finish, which
// says whether the server is the right one. A Login is good for one login. It is
// a UAM to package afpclient.
type Login interface {
	// Name is that of the method.
	Name() string
	// Begin returns what stands behind the user's name.
	Begin() ([]byte, error)
	// Answer answers a reply of the server.
	Answer(reply []byte) ([]byte, error)
	// Finish looks at the reply to the last message.
	Finish(reply []byte) error
}

// ErrLong is the error of a password that is longer than a method allows.
var ErrLong = errors.New("uam: the password is longer than 8 bytes")

// ErrSteps is the error of a server that wants more messages than the method has,
// or fewer.
var ErrSteps = errors.New("uam: the server does not keep to the steps of the login")

// Guest returns the login of nobody.
func Guest() Login { return guest{} }

type guest struct{}

func (guest) Name() string                  { return afpwire.UAMGuest }
func (guest) Begin() ([]byte, error)        { return nil, nil }
func (guest) Answer([]byte) ([]byte, error) { return nil, ErrSteps }
func (guest) Finish([]byte) error           { return nil }

// WithCleartext returns a login that shows the password to everybody.
func WithCleartext(password string) Login { return &plain{password: password} }

type plain struct {
	guest
	password string
}

func (*plain) Name() string { return afpwire.UAMCleartext }

func (l *plain) Begin() ([]byte, error) {
	if len(l.password) > clearSize {
		return nil, ErrLong
	}
	field := make([]byte, clearSize)
	copy(field, l.password)
	return field, nil
}

// WithDHX2 returns a login by package dhx2.
func WithDHX2(password string) Login { return &diffieHellman{i: dhx2.Initiator{Password: password}} }

// ChangeByDHX2 returns a change of a password by package dhx2. Its messages go with
// FPChangePassword, of which the first has nothing but an ID of 0.
func ChangeByDHX2(old, fresh string) Login {
	return &diffieHellman{i: dhx2.Initiator{Password: old, NewPassword: fresh}}
}

type diffieHellman struct {
	guest
	i     dhx2.Initiator
	steps int
}

func (*diffieHellman) Name() string { return afpwire.UAMDHX2 }

func (l *diffieHellman) Answer(reply []byte) ([]byte, error) {
	if l.steps++; l.steps > 2 {
		return nil, ErrSteps
	}
	return l.i.Answer(reply)
}

func (l *diffieHellman) Finish([]byte) error {
	if l.steps != 2 {
		return ErrSteps
	}
	return nil
}

// WithSRP returns a login by package srp. The user's name counts as it is spelt.
func WithSRP(user, password string) Login {
	return &secure{srp.Initiator{User: user, Password: password}}
}

type secure struct{ i srp.Initiator }

func (*secure) Name() string                          { return afpwire.UAMSRP }
func (l *secure) Begin() ([]byte, error)              { return l.i.Hello(), nil }
func (l *secure) Answer(reply []byte) ([]byte, error) { return l.i.Answer(reply) }
func (l *secure) Finish(reply []byte) error           { return l.i.Finish(reply) }
