package afpclient

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// UAM is the client's side of a login by one method.
type UAM interface {
	// Name is that of the method.
	Name() string
	// Begin returns what stands behind the user's name.
	Begin() ([]byte, error)
	// Answer answers a reply that asks to go on.
	Answer(reply []byte) ([]byte, error)
	// Finish looks at the reply that says the login is done.
	Finish(reply []byte) error
}

// Login is who logs in, and how.
type Login struct {
	Version string // "": the newest there is
	User    string // composed UTF-8
	UAM     UAM
}

// isAFP2 reports whether a version is older than AFP 3.0.
func isAFP2(version string) bool {
	return strings.HasPrefix(version, "AFP2") || strings.HasPrefix(version, "AFPVersion ")
}

// Login proves to the server who the user is.
func (c *Conn) Login(ctx context.Context, l Login) error {
	if l.Version == "" {
		l.Version = afpwire.Version34
	}
	auth, err := l.UAM.Begin()
	if err != nil {
		return err
	}
	payload, err := c.steps(ctx, l.message(auth), l.UAM, func(id uint16, auth []byte) Encoder {
		return &afpwire.LoginContRequest{ID: id, Auth: auth}
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.afp2 = isAFP2(l.Version)
	c.mu.Unlock()
	return l.UAM.Finish(payload)
}

// message is the first of a login. Servers know the clear text method from
// FPLogin only.
func (l *Login) message(auth []byte) Encoder {
	if method := l.UAM.Name(); !isAFP2(l.Version) && method != afpwire.UAMCleartext {
		return &afpwire.LoginExtRequest{Version: l.Version, UAM: method, User: decompose(l.User), PathType: afpwire.UTF8Names, Auth: auth}
	}
	m := &afpwire.LoginRequest{Version: l.Version, UAM: l.UAM.Name()}
	if m.UAM != afpwire.UAMGuest {
		user, _ := afpwire.ToMacRoman(l.User)
		m.SetUser(user, auth)
	}
	return m
}

// steps sends the first message of an exchange, and what next makes of the
// method's answers, until the server has enough. It returns the last reply.
func (c *Conn) steps(ctx context.Context, message Encoder, method UAM, next func(id uint16, auth []byte) Encoder) ([]byte, error) {
	for {
		payload, err := c.call(ctx, &request{function: afpwire.DSICommand, message: message})
		if err == nil {
			return payload, nil
		}
		if !errors.Is(err, afpwire.ResultAuthContinue) {
			return nil, explain(message, err)
		}
		var reply afpwire.AuthContinueReply
		if err := decode(message, payload, &reply); err != nil {
			return nil, err
		}
		auth, err := method.Answer(reply.Auth)
		if err != nil {
			return nil, err
		}
		message = next(reply.ID, auth)
	}
}

// ChangePassword gives the user who is logged in another password, by a method
// that knows both. The user is named in AFP 2 only.
func (c *Conn) ChangePassword(ctx context.Context, user string, method UAM) error {
	m := afpwire.ChangePasswordRequest{UAM: method.Name()}
	if c.speaksAFP2() {
		m.User, _ = afpwire.ToMacRoman(user)
	}
	auth, err := method.Begin()
	if err != nil {
		return err
	}
	if auth == nil {
		// A method with several steps has an ID before each, from 0 on.
		auth = []byte{0, 0}
	}
	first := m
	first.Auth = auth
	payload, err := c.steps(ctx, &first, method, func(id uint16, auth []byte) Encoder {
		again := m
		again.Auth = append(binary.BigEndian.AppendUint16(nil, id), auth...)
		return &again
	})
	if err != nil {
		return err
	}
	return method.Finish(payload)
}

// Logout ends the login. The session remains, and is good for nothing.
func (c *Conn) Logout(ctx context.Context) error {
	return c.Ask(ctx, &afpwire.LogoutRequest{}, nil)
}
