package dozo

import (
	"fmt"

	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/status"
)

// Disconnect ends the session of an id that a Snapshot shows, or closes the open
// of one, and returns in words what it was. What a session has open is closed
// with it, with its locks and oplocks; its client is told at its next request that
// there is no such session or file, and mostly logs in anew. An error says in a
// sentence that there is none by this id.
func (s *Server) Disconnect(id string) (closed string, err error) {
	parsed, err := status.ParseID(id)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	run := s.running
	s.mu.Unlock()
	if run == nil {
		return "", noSuch(parsed)
	}
	if parsed.Open != 0 {
		o, ok := run.smb.CloseOpen(smb.OpenID(parsed))
		if !ok {
			return "", noSuch(parsed)
		}
		return fmt.Sprintf("the open %s of %s from %s: %s in the share %s", parsed, userWords(o.User), o.Address, pathWords(o.Path), o.Share), nil
	}
	l, ok := run.smb.CloseSession(parsed.Session)
	if !ok {
		return "", noSuch(parsed)
	}
	return sessionWords(l), nil
}

// CheckUsers ends, as Disconnect does, the sessions of users whom Users does not
// know any more, or knows as disabled, and returns in words what they were. A
// program calls it when it has changed its Users; other changes, that of a
// password for one, end no session and count from the next login on.
func (s *Server) CheckUsers() (closed []string) {
	s.mu.Lock()
	run := s.running
	s.mu.Unlock()
	if run == nil {
		return nil
	}
	for _, l := range run.smb.CheckUsers() {
		closed = append(closed, sessionWords(l))
	}
	return closed
}

func noSuch(id status.ID) error {
	if id.Open != 0 {
		return fmt.Errorf("there is no open %s, or it is closed already; dozo status shows which there are", id)
	}
	return fmt.Errorf("there is no session %s, or it has ended already; dozo status shows which there are", id)
}

func sessionWords(l smb.SessionInfo) string {
	return fmt.Sprintf("the session %s of %s from %s, with %d files open", status.ID{Session: l.Number}, userWords(l.User), l.Address, l.Opens)
}

func userWords(user string) string {
	if user == "" {
		return "a guest"
	}
	return user
}

func pathWords(path string) string {
	if path == "" {
		return "the top folder"
	}
	return path
}
