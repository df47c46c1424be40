package afp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/audit"
)

// login is a login in progress.
type login struct {
	attempt auth.Attempt
	version version
	user    string         // as the client sent it, composed
	secret  []byte         // of decoys
	nobody  bool           // it is that of a guest
	wrong   afpwire.Result // what a client is told whose password is wrong
	next    step
}

// step takes a client's message, and its id, and returns the reply. With another
// step to come it sets login.next and returns ResultAuthContinue; nil means that
// the user has proved who he is.
type step func(l *login, ctx context.Context, id uint16, auth []byte) (reply, error)

// methods begin a login by each method.
var methods = map[string]step{
	afpwire.UAMGuest:     (*login).guest,
	afpwire.UAMCleartext: (*login).cleartext,
	afpwire.UAMDHX2:      (*login).dhx2,
	afpwire.UAMSRP:       (*login).srp,
}

// logIn answers FPLogin.
func (r *request) logIn(ctx context.Context, m *afpwire.LoginRequest) (reply, error) {
	if m.UAM == afpwire.UAMGuest {
		return r.beginLogin(ctx, m.Version, m.UAM, "", m.Auth)
	}
	name, rest, err := m.User()
	if err != nil {
		return nil, afpwire.ResultParamErr
	}
	return r.beginLogin(ctx, m.Version, m.UAM, afpwire.FromMacRoman(name), rest)
}

// logInExt answers FPLoginExt.
func (r *request) logInExt(ctx context.Context, m *afpwire.LoginExtRequest) (reply, error) {
	return r.beginLogin(ctx, m.Version, m.UAM, compose(m.User), m.Auth)
}

// logInCont answers FPLoginCont.
func (r *request) logInCont(ctx context.Context, m *afpwire.LoginContRequest) (reply, error) {
	return r.goOn(ctx, m.ID, m.Auth)
}

// beginLogin begins a login, in place of one that was not ended.
func (r *request) beginLogin(ctx context.Context, versionName, method, user string, message []byte) (reply, error) {
	c := r.conn
	v, ok := versionNamed(versionName)
	switch {
	case !ok:
		return nil, afpwire.ResultBadVersNum
	case !slices.Contains(c.server.offered(), method):
		return nil, afpwire.ResultBadUAM
	}
	c.login = &login{
		attempt: auth.Attempt{Users: c.server.config.Users, Guard: c.server.config.Guard, From: address(c.nc)},
		version: v, user: user, secret: c.server.config.Secret, wrong: afpwire.ResultUserNotAuth, next: methods[method],
	}
	if method == afpwire.UAMSRP {
		c.login.wrong = afpwire.ResultSRPFailed
	}
	return r.goOn(ctx, 0, message)
}

// goOn takes the next step of the login in progress. After any error it is over.
func (r *request) goOn(ctx context.Context, id uint16, message []byte) (reply, error) {
	c := r.conn
	l := c.login
	c.login = nil
	if l == nil {
		return nil, afpwire.ResultParamErr
	}
	next := l.next
	l.next = nil
	block, err := next(l, ctx, id, message)
	if err == afpwire.ResultAuthContinue {
		c.login = l
		return block, err
	}
	if err == nil {
		err = r.enter(l)
	}
	if err != nil {
		return nil, r.refuse(l, err)
	}
	return block, nil
}

// enter makes the session of a user who has proved who he is.
func (r *request) enter(l *login) error {
	c := r.conn
	id := &auth.Identity{Guest: true}
	if !l.nobody {
		var err error
		if id, err = c.server.config.Users.Identity(l.attempt.User()); err != nil {
			return err
		}
	}
	s := newSession(c, id, l.version)
	c.welcome(s)
	c.server.config.Audit.Note(audit.Event{Operation: audit.Logon, User: id.User, Address: address(c.nc)})
	c.server.config.Log.Info("afp: login", "user", s.user(), "address", c.nc.RemoteAddr().String(), "version", int(l.version))
	return nil
}

// loggedName is how much of a stranger's name is written down, in bytes.
const loggedName = 128

// refuse tells the log why a login failed, and returns what the client is told,
// which is less. Who is held back and goes on trying gets one line for each wait.
func (r *request) refuse(l *login, why error) error {
	c := r.conn
	if c.refusals++; c.refusals >= maxRefusals {
		r.ends = fmt.Errorf("%w: %d logins failed", errProtocol, c.refusals)
	}
	if held, ok := errors.AsType[*auth.HeldError](why); !ok || !held.Told {
		user := strings.ToValidUTF8(l.user[:min(len(l.user), loggedName)], "")
		c.server.config.Audit.Note(audit.Event{Operation: audit.Logon, User: user, Address: address(c.nc), Result: why.Error()})
		c.server.config.Log.Warn("afp: login refused", "user", user, "address", c.nc.RemoteAddr().String(), "reason", why)
	}
	if why == afpwire.ResultParamErr {
		return why
	}
	return l.wrong
}

// offered returns the methods that clients may log in by at this moment.
func (s *Server) offered() []string {
	all := slices.Clone(s.config.Methods)
	return slices.DeleteFunc(all, func(name string) bool {
		switch name {
		case afpwire.UAMGuest:
			return !s.config.Guest
		case afpwire.UAMSRP:
			able, err := auth.AllHaveVerifiers(s.config.Users)
			return err != nil || !able
		}
		return false
	})
}

// logOut answers FPLogout.
func (r *request) logOut(context.Context, *afpwire.LogoutRequest) (reply, error) {
	r.ends = errBye
	return nil, nil
}
