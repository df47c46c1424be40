package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// maxID is the longest id by which a client may know a session.
const maxID = 256

// getSessionToken answers FPGetSessionToken. A client that logs in anew with an id
// that it had before has lost what it had then.
func (r *request) getSessionToken(_ context.Context, m *afpwire.GetSessionTokenRequest) (reply, error) {
	if len(m.ID) > maxID {
		return nil, afpwire.ResultParamErr
	}
	switch m.Type {
	case afpwire.LoginWithoutID, afpwire.ReconnWithID, afpwire.ReconnWithTimeAndID:
	case afpwire.LoginWithID:
		r.conn.endOthers(string(m.ID), 0, false)
	case afpwire.LoginWithTimeAndID:
		r.conn.endOthers(string(m.ID), m.Timestamp, true)
	default: // of methods that are not offered
		return nil, afpwire.ResultParamErr
	}
	t := r.session.name(string(m.ID), m.Timestamp)
	return &afpwire.GetSessionTokenReply{Token: t[:]}, nil
}

// disconnectOldSession answers FPDisconnectOldSession: the client has the session
// of the token again, with all that is open in it, if it has nothing here yet. If
// it has, the other session ends, and with it its locks.
func (r *request) disconnectOldSession(_ context.Context, m *afpwire.DisconnectOldSessionRequest) (reply, error) {
	if len(m.Token) != len(token{}) {
		return nil, afpwire.ResultMiscErr
	}
	c := r.conn
	old, err := c.reclaim(token(m.Token))
	if err != nil {
		return nil, afpwire.ResultMiscErr
	}
	if r.session.hasSomething() || old.version != r.session.version {
		old.end()
		return nil, nil
	}
	c.session, c.returned = old, true
	r.session.end()
	return nil, nil
}

// hasSomething reports whether anything is open in the session.
func (s *session) hasSomething() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.volumes) > 0
}
