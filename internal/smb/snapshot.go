package smb

import (
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// SessionInfo describes a session to the status page.
type SessionInfo struct {
	User       string // "guest" for a guest
	Address    string
	Dialect    string
	Signing    string // the algorithm, "" when nothing is signed
	Encryption string // the cipher, "" when the session does not demand one
	Shares     []string
	Opens      int
	Since      time.Time
	Used       time.Time // when the last request came
}

// Sessions returns a snapshot of the sessions that are logged in, oldest
// first, and the number of connections.
func (s *Server) Sessions() (sessions []SessionInfo, connections int) {
	s.mu.Lock()
	connections = len(s.conns)
	all := make([]*session, 0, len(s.sessions))
	for _, sess := range s.sessions {
		if sess.valid.Load() {
			all = append(all, sess)
		}
	}
	s.mu.Unlock()
	for _, sess := range all {
		sessions = append(sessions, sess.info())
	}
	slices.SortFunc(sessions, func(a, b SessionInfo) int { return a.Since.Compare(b.Since) })
	return sessions, connections
}

func (s *session) info() SessionInfo {
	n := &s.conn.negotiated
	i := SessionInfo{
		User:    s.user(),
		Address: s.conn.address(),
		Dialect: smbwire.Dialect(n.dialect).String(),
		Since:   s.created,
		Used:    time.Unix(0, s.used.Load()),
	}
	if s.mustSign {
		i.Signing = n.signing.String()
	}
	if s.mustSeal {
		i.Encryption = n.cipher.String()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i.Opens = len(s.opens)
	for _, t := range s.trees {
		i.Shares = append(i.Shares, t.name())
	}
	slices.Sort(i.Shares)
	return i
}
