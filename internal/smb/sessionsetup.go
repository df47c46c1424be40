package smb

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/spnego"
)

// login is a login in progress: the first one of a session, or a further one.
type login struct {
	attempt  *attempt
	acceptor *spnego.Acceptor
	preauth  smbcrypt.PreauthHash
}

func (c *conn) newLogin() *login {
	a := c.attempt()
	return &login{attempt: a, acceptor: a.acceptor(), preauth: c.negotiated.preauth}
}

// Bounds of the sessions of one connection, in progress or not.
const (
	maxLogins         = 256
	maxStrangerLogins = 16 // before the first of them has succeeded
)

// sessionSetup answers SESSION_SETUP ([MS-SMB2] 3.3.5.5).
func (r *request) sessionSetup(_ context.Context, m *smbwire.SessionSetupRequest) (reply, error) {
	c := r.conn
	if !c.server.welcomes(c.nc) {
		c.server.logUnwelcome(c.nc)
		r.afterwards = c.cut
		return nil, smbwire.StatusAccessDenied
	}
	if err := r.checkSetup(m); err != nil {
		return nil, err
	}
	if r.session == nil {
		s, err := c.newSession()
		if err != nil {
			return nil, err
		}
		r.session = s
	}
	s := r.session
	if s.login == nil {
		s.login = c.newLogin()
	}
	token, done, err := s.login.accept(r, m.SecurityBuffer)
	if err != nil {
		return nil, r.refuseLogin(err)
	}
	answer := &smbwire.SessionSetupResponse{SecurityBuffer: token}
	if !done {
		if c.negotiated.dialect == smbcrypt.Dialect311 {
			r.preauth = &s.login.preauth
		}
		return answer, smbwire.StatusMoreProcessingRequired
	}
	if err := r.finishLogin(m, answer); err != nil {
		return nil, r.refuseLogin(err)
	}
	return answer, nil
}

// checkSetup refuses what a login may not ask for here.
func (r *request) checkSetup(m *smbwire.SessionSetupRequest) error {
	switch {
	case m.Flags&smbwire.SessionBinding != 0:
		return r.refuseBinding()
	case r.header.SessionID != 0 && r.session == nil, r.session != nil && r.session.dismissed.Load():
		return smbwire.StatusUserSessionDeleted
	case r.session != nil && r.session.valid.Load():
		// A new login is protected as all else is, or somebody on the way could
		// make the session his own.
		return r.session.admits(r)
	}
	return nil
}

// refuseBinding answers the wish to add a channel to a session, which this
// server does not offer. The statuses are those of 3.3.5.5, items 3 and 4.
func (r *request) refuseBinding() error {
	if r.conn.negotiated.dialect < smbcrypt.Dialect300 {
		return smbwire.StatusRequestNotAccepted
	}
	if r.conn.server.sessionByID(r.header.SessionID) == nil {
		return smbwire.StatusUserSessionDeleted
	}
	return smbwire.StatusRequestNotAccepted
}

// accept hands a token to the login mechanism.
func (l *login) accept(r *request, token []byte) (answer []byte, done bool, err error) {
	if r.conn.negotiated.dialect == smbcrypt.Dialect311 {
		l.preauth.Update(r.message)
	}
	answer, done, err = l.acceptor.Accept(token)
	if done || err != nil {
		err = l.attempt.settle(l.acceptor.Session(), err)
	}
	return answer, done, err
}

// newSession makes a session that is still to be logged in.
func (c *conn) newSession() (*session, error) {
	s := &session{conn: c, created: time.Now(), trees: map[uint32]*tree{}, opens: map[uint64]*open{}}
	limit := maxLogins
	if c.stranger {
		limit = maxStrangerLogins
	}
	c.mu.Lock()
	if len(c.sessions) >= limit {
		maps.DeleteFunc(c.sessions, func(_ uint64, s *session) bool { return s.dismissed.Load() })
	}
	full := len(c.sessions) >= limit
	c.mu.Unlock()
	if full {
		return nil, smbwire.StatusInsufficientResources
	}
	c.server.register(s)
	c.mu.Lock()
	c.sessions[s.id] = s
	c.mu.Unlock()
	return s, nil
}

// finishLogin makes the session of a user who has proved himself.
func (r *request) finishLogin(m *smbwire.SessionSetupRequest, answer *smbwire.SessionSetupResponse) error {
	c, s := r.conn, r.session
	l := s.login
	s.login = nil
	outcome := l.acceptor.Session()
	id, err := l.attempt.identity(outcome)
	if err != nil {
		return err
	}
	if id.Guest {
		answer.SessionFlags |= smbwire.SessionIsGuest
		if outcome.Anonymous {
			answer.SessionFlags = smbwire.SessionIsNull
		}
	}
	if s.valid.Load() { // a new login on a session keeps its keys ([MS-SMB2] 3.3.5.5.3)
		if s.signer == nil && !id.Guest {
			return smbwire.StatusAccessDenied // a guest's session has none, and a user's needs some
		}
		s.identity.Store(id)
		if err := l.attempt.recheck(id); err != nil {
			return err
		}
		s.reattach(id)
		c.server.config.Audit.Note(audit.Event{Operation: audit.Logon, User: id.User, Address: c.ip()})
		return nil
	}
	if err := s.arm(m, outcome, l, id.Guest); err != nil {
		return err
	}
	if outcome.Guest {
		s.guestAs = outcome.User
	}
	if s.mustSeal {
		answer.SessionFlags |= smbwire.SessionEncryptData
	}
	s.identity.Store(id)
	s.client.Store(clientOf(outcome))
	if err := s.hold(s.user()); err != nil {
		return err
	}
	s.used.Store(r.began.UnixNano())
	s.number = c.server.logins.Add(1)
	s.valid.Store(true)
	if err := l.attempt.recheck(id); err != nil {
		return err
	}
	if !id.Guest || c.server.guests.Load() {
		c.welcome()
	}
	if m.PreviousSessionID != 0 && m.PreviousSessionID != s.id {
		c.server.endPrevious(m.PreviousSessionID, id)
	}
	c.server.config.Audit.Note(audit.Event{Operation: audit.Logon, User: id.User, Address: c.ip()})
	c.server.config.Log.Info("smb: login", "user", s.user(), "address", c.address(),
		"dialect", smbwire.Dialect(c.negotiated.dialect).String())
	return nil
}

// arm derives the session's keys and decides what they protect.
func (s *session) arm(m *smbwire.SessionSetupRequest, outcome *ntlm.Session, l *login, guest bool) error {
	n, config := &s.conn.negotiated, &s.conn.server.config
	if guest { // who has no key that the server knows, so nothing can be protected
		if config.Encrypt {
			return smbwire.StatusAccessDenied
		}
		s.armed.Store(true)
		return nil
	}
	keys := smbcrypt.DeriveKeys(n.dialect, outcome.Key[:], &l.preauth, n.cipher)
	signer, err := smbcrypt.NewSigner(n.signing, keys.Signing)
	if err != nil {
		return err
	}
	s.signer = signer
	s.mustSign = (m.SecurityMode|n.client.SecurityMode|n.mode)&smbwire.SigningRequired != 0
	if n.cipher != 0 {
		if s.sealOut, err = smbcrypt.NewSealer(n.cipher, keys.ServerOut); err != nil {
			return err
		}
		if s.sealIn, err = smbcrypt.NewSealer(n.cipher, keys.ServerIn); err != nil {
			return err
		}
	}
	if config.Encrypt {
		if n.cipher == 0 {
			return smbwire.StatusAccessDenied
		}
		s.mustSeal = true
	}
	s.armed.Store(true)
	return nil
}

// refuseLogin ends a login that failed, with a line for the administrator that
// tells more than the client is told. Who is held back gets the status of a wrong
// password and not STATUS_ACCOUNT_LOCKED_OUT, as from Windows: nobody learns that
// his guess was not even looked at, and at that status Windows asks no person for
// another password, although its own first tries may have brought it about.
func (r *request) refuseLogin(err error) error {
	s := r.session
	s.login = nil
	r.conn.server.logRefusal(r.conn, err)
	s.valid.Store(false)   // at once: the rest of what it sent finds no session
	r.afterwards = s.close // also one that was logged in before ([MS-SMB2] 3.3.5.5.3)
	if status, ok := errors.AsType[smbwire.Status](err); ok {
		return status
	}
	if errors.Is(err, spnego.ErrMalformed) || errors.Is(err, ntlm.ErrMalformed) {
		return smbwire.StatusInvalidParameter
	}
	return smbwire.StatusLogonFailure
}

// endPrevious closes the session that a client had before it lost its
// connection, if it is the same user's ([MS-SMB2] 3.3.5.5.3).
func (s *Server) endPrevious(id uint64, user *auth.Identity) {
	old := s.sessionByID(id)
	if old == nil {
		return
	}
	if was := old.identity.Load(); was != nil && was.User == user.User && was.Guest == user.Guest {
		old.close()
	}
}
