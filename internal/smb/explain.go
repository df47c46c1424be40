package smb

import (
	"errors"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/ntlm"
)

// explain puts the reason for which a login was refused into words for the
// administrator, and says what to do. The name that a stranger sent is not part of
// a line to be typed: it could be more than a name to a shell.
func explain(reason error) string {
	for _, known := range explained {
		if errors.Is(reason, known.reason) {
			return known.words
		}
	}
	return reason.Error()
}

var explained = []struct {
	reason error
	words  string
}{
	{ntlm.ErrWrongPassword, "wrong password; who has forgotten it gets another with: dozo user password NAME"},
	{ntlm.ErrUnknownUser, "unknown user; add one with: dozo user add NAME"},
	{auth.ErrNoPassword, "the user has no password yet; give one with: dozo user password NAME"},
	{auth.ErrDisabled, "the user is disabled; let them in again with: dozo user enable NAME"},
	{ntlm.ErrWeak, "the client answered with LM or NTLMv1, which are not accepted; have it use NTLMv2"},
}

// noteGuest says what is the matter with a client that was let in as a guest and
// left before it looked at anything: it would not be one.
func (s *session) noteGuest() {
	s.mu.Lock()
	looked := s.treeSeq > 0
	s.mu.Unlock()
	if s.guestAs == "" || looked || s.dismissed.Load() || s.conn.server.ctx.Err() != nil {
		return
	}
	s.conn.server.config.Log.Warn("smb: a client left because it would have been a guest, as Windows 11 does; log in there as a user, made with: dozo user add NAME",
		"user", s.guestAs, "address", s.conn.address())
}
