package smb

import (
	"errors"
	"sync"

	"github.com/dozo-server/dozo/auth"
)

// CloseSession ends the session of a number, as the client's LOGOFF does: what
// it has open is closed, with its locks and oplocks, and what it asks for from
// now on is answered with STATUS_USER_SESSION_DELETED. Unlike after a LOGOFF that
// answer is signed or encrypted, because clients that are to have it so take
// another for an attack and give up. It returns what the session was, and false
// if there is none.
func (s *Server) CloseSession(number uint64) (SessionInfo, bool) {
	sess := s.sessionNumbered(number)
	if sess == nil {
		return SessionInfo{}, false
	}
	info := sess.info()
	s.config.Log.Info("smb: a session was closed by an administrator", "session", number, "user", info.User, "address", info.Address)
	sess.dismiss()
	return info, true
}

// CheckUsers ends, as CloseSession does, the sessions of users who may log in no
// more, and returns what they were, oldest first. Logins under way learn it, too.
// A disk that hangs holds up no session but those with files on it.
func (s *Server) CheckUsers() (ended []SessionInfo) {
	s.checks.Add(1)
	var closing sync.WaitGroup
	sessions, _ := s.all()
	for _, sess := range sessions {
		reason := s.refuses(sess.identity.Load())
		if reason == nil {
			continue
		}
		info := sess.info()
		ended = append(ended, info)
		s.config.Log.Info("smb: a session was closed because its user may log in no more", "session", info.Number, "user", info.User,
			"address", info.Address, "reason", reason)
		closing.Go(sess.dismiss)
	}
	closing.Wait()
	return ended
}

// refuses returns why somebody who is logged in may be so no more, nil if he may,
// or if that can't be said.
func (s *Server) refuses(id *auth.Identity) error {
	if id.Guest || s.config.Users == nil {
		return nil
	}
	r, err := s.config.Users.Lookup(id.User)
	switch {
	case errors.Is(err, auth.ErrUnknownUser), err == nil && r.Name != id.User:
		return auth.ErrUnknownUser
	case err == nil && r.Disabled:
		return auth.ErrDisabled
	}
	return nil
}

// dismiss ends a session that its client did not end.
func (s *session) dismiss() {
	s.dismissed.Store(true)
	s.close()
	s.conn.cancelWaitingOf(s)
}

// CloseOpen closes a file that a session has open, as the loss of the session
// would: its byte ranges are unlocked, its oplock is given up, and to the client
// it is closed from now on. It returns what was open, and false if nothing is.
func (s *Server) CloseOpen(id OpenID) (OpenInfo, bool) {
	sess := s.sessionNumbered(id.Session)
	if sess == nil {
		return OpenInfo{}, false
	}
	o := sess.numbered(id.Open)
	if o == nil {
		return OpenInfo{}, false
	}
	info := o.info()
	if !sess.release(o) {
		return OpenInfo{}, false // just now, by its client
	}
	err := o.close()
	s.config.Log.Info("smb: a file was closed by an administrator", "session", id.Session, "open", id.Open,
		"share", info.Share, "path", info.Path, "user", info.User, "address", info.Address)
	if err != nil {
		s.config.Log.Error("smb: a file that was to go with its close is still there", "share", info.Share, "path", info.Path, "error", err)
	}
	return info, true
}

// sessionNumbered finds a session that is logged in, nil if there is none.
func (s *Server) sessionNumbered(number uint64) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		if sess.valid.Load() && sess.number == number { // before it is valid it has no number
			return sess
		}
	}
	return nil
}

// numbered returns the file that is open under a number, nil if there is none.
func (s *session) numbered(number uint64) *open {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.opens[number]; o != nil && o.file != nil {
		return o
	}
	return nil
}

// cancelWaitingOf ends the requests of a session that wait for others.
func (c *conn) cancelWaitingOf(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.asyncs {
		if r.session == s {
			r.cancel()
		}
	}
}
