package smb

import (
	"errors"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/ntlm"
)

// accounts lets ntlm ask the users of the server.
type accounts struct{ users auth.Users }

// NTHash is that of ntlm.Accounts. The domain is what the client claims; there
// is one list of users whatever it is.
func (a accounts) NTHash(user, _ string) ([16]byte, error) {
	if a.users == nil {
		return [16]byte{}, ntlm.ErrUnknownUser
	}
	r, err := a.users.Lookup(user)
	switch {
	case errors.Is(err, auth.ErrUnknownUser):
		return [16]byte{}, ntlm.ErrUnknownUser
	case err != nil:
		return [16]byte{}, err
	case r.Disabled:
		return [16]byte{}, errDisabled
	}
	return r.NTHash, nil
}

var errDisabled = errors.New("the user is disabled")

// identity is who has proved to be whom. An anonymous login always succeeds, as
// it does on Windows, but without guests it opens no share, IPC$ neither.
func (s *Server) identity(outcome *ntlm.Session) (*auth.Identity, error) {
	if outcome.Anonymous || outcome.Guest {
		return &auth.Identity{Guest: true}, nil
	}
	r, err := s.config.Users.Lookup(outcome.User)
	if err != nil {
		return nil, err
	}
	return s.config.Users.Identity(r)
}

// logRefusal writes the line about a refused login, which tells more than the
// client is told.
func (s *Server) logRefusal(c *conn, err error) {
	user, reason := "", err
	if e, ok := errors.AsType[*ntlm.LogonError](err); ok {
		user, reason = e.User, e.Err
	}
	s.config.Log.Warn("smb: login refused", "user", user, "address", c.address(), "reason", reason)
}
