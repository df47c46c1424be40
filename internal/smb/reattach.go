package smb

import "github.com/dozo-server/dozo/internal/share"

// SetGuest says whether logins that begin from now on may be those of guests.
func (s *Server) SetGuest(on bool) { s.guests.Store(on) }

// RequireSigning replaces Config.RequireSigning for connections that begin from
// now on. The others were told what counts, and it does.
func (s *Server) RequireSigning(on bool) { s.signs.Store(on) }

// Reattach is called when the options of sh were replaced, or when it ended. Who
// may still use it goes on under the new options; what is open stays open. Who
// may not, or does not encrypt and must now, is disconnected from it: requests
// under way finish, what is open is closed, and the session goes on. It waits
// for the files to be closed.
func (s *Server) Reattach(sh *share.Share) {
	s.mu.Lock()
	all := make([]*session, 0, len(s.sessions))
	for _, sess := range s.sessions {
		all = append(all, sess)
	}
	s.mu.Unlock()
	for _, sess := range all {
		sess.renew(sh)
	}
}

// renew attaches the session's trees of sh again.
func (s *session) renew(sh *share.Share) {
	var gone []*tree
	s.mu.Lock()
	id := s.identity.Load()
	for _, t := range s.trees {
		if t.files == nil || t.files.Share() != sh {
			continue
		}
		again := t.again(id)
		s.trees[t.id] = again
		if again.refusal != nil || sh.Options().Encrypt && !again.encrypt {
			gone = append(gone, again)
		}
	}
	s.mu.Unlock()
	for _, t := range gone {
		s.disconnect(t)
	}
}
