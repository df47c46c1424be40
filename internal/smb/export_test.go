package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// IsNumber reports whether the session of an id on the wire has a number.
func (s *Server) IsNumber(id, number uint64) bool {
	sess := s.sessionByID(id)
	return sess != nil && sess.number == number
}

// BreakEcho makes ECHO panic on the connections of the sessions that faulty
// names, until restore is called. No server may be running at either moment.
func BreakEcho(faulty func(session uint64) bool) (restore func()) {
	whole := commands[smbwire.Echo]
	commands[smbwire.Echo].handle = func(r *request, _ context.Context) (reply, error) {
		if faulty(r.header.SessionID) {
			panic("a fault")
		}
		return &smbwire.EchoResponse{}, nil
	}
	return func() { commands[smbwire.Echo] = whole }
}
