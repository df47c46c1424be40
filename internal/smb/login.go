package smb

import (
	"errors"
	"net/netip"
	"strings"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/spnego"
)

// attempt is one try to log in, as ntlm sees it.
type attempt struct {
	auth.Attempt
	server *Server
	checks uint64 // that there were before the user was looked up
}

// attempt begins a try to log in on a connection.
func (c *conn) attempt() *attempt {
	config := &c.server.config
	return &attempt{auth.Attempt{Users: config.Users, Guard: config.Guard, From: c.ip()}, c.server, c.server.checks.Load()}
}

// acceptor is the mechanism that l speaks.
func (l *attempt) acceptor() *spnego.Acceptor {
	return spnego.NewAcceptor(&ntlm.Server{
		Name:     strings.ToUpper(l.server.config.Name),
		Accounts: l,
		Guests:   l.server.guests.Load(),
	})
}

// NTHash is that of ntlm.Accounts. The domain is what the client claims; there
// is one list of users whatever it is.
func (l *attempt) NTHash(user, _ string) ([16]byte, error) {
	hash, err := l.Attempt.NTHash(user)
	if errors.Is(err, auth.ErrUnknownUser) {
		err = ntlm.ErrUnknownUser
	}
	return hash, err
}

// settle is told how the mechanism ended, with an outcome or an error, and
// returns the error that counts: passwords are not to be guessed. What failed
// before a password was looked at is no guess.
func (l *attempt) settle(outcome *ntlm.Session, err error) error {
	user, wrong := l.User().Name, error(nil)
	switch e, known := errors.AsType[*ntlm.LogonError](err); {
	case known && isGuess(e.Err):
		wrong = auth.ErrWrongPassword
		if user == "" {
			user = e.User
		}
	case err != nil || outcome == nil || outcome.Anonymous || outcome.Guest:
		return err
	}
	if held, ok := errors.AsType[*auth.HeldError](l.Settle(wrong)); ok {
		return &ntlm.LogonError{User: user, Err: held}
	}
	return err
}

// isGuess tells the reasons for which a login failed that a stranger can bring
// about by trying passwords. A client can't tell one from the other.
func isGuess(reason error) bool {
	for _, r := range []error{ntlm.ErrWrongPassword, ntlm.ErrUnknownUser, auth.ErrDisabled, auth.ErrNoPassword} {
		if errors.Is(reason, r) {
			return true
		}
	}
	return false
}

// identity is who has proved to be whom. An anonymous login always succeeds, as
// it does on Windows, but without guests it opens no share, IPC$ neither.
func (l *attempt) identity(outcome *ntlm.Session) (*auth.Identity, error) {
	if outcome.Anonymous || outcome.Guest {
		return &auth.Identity{Guest: true}, nil
	}
	return l.Users.Identity(l.User())
}

// recheck refuses who may log in no more since the login began: CheckUsers may have
// missed the session, which was not there yet.
func (l *attempt) recheck(id *auth.Identity) error {
	if l.server.checks.Load() == l.checks {
		return nil
	}
	if err := l.server.refuses(id); err != nil {
		return &ntlm.LogonError{User: id.User, Err: err}
	}
	return nil
}

// loggedName is how much of a stranger's name is written down, in bytes, twice what
// the longest name of a user has. Names of all lengths would fill a disk sooner.
const loggedName = 128

// logRefusal writes the line about a refused login, which tells more than the
// client is told. Who is held back and goes on trying gets one for each wait.
func (s *Server) logRefusal(c *conn, err error) {
	if held, ok := errors.AsType[*auth.HeldError](err); ok && held.Told {
		return
	}
	user, reason := "", err
	if e, ok := errors.AsType[*ntlm.LogonError](err); ok {
		user, reason = strings.ToValidUTF8(e.User[:min(len(e.User), loggedName)], ""), e.Err
	}
	s.config.Audit.Note(audit.Event{Operation: audit.Logon, User: user, Address: c.ip(), Result: strings.TrimPrefix(reason.Error(), "ntlm: ")})
	s.config.Log.Warn("smb: login refused", "user", user, "address", c.address(), "reason", explain(reason))
}

// ip is the client's address, the zero one if that is not of IP.
func (c *conn) ip() netip.Addr { return ip(c.nc) }
