package afp

import (
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

const (
	// keepTime is how long what a client has is kept when its connection is lost.
	keepTime = 10 * time.Minute
	// maxKept is how many lost sessions of one user are kept.
	maxKept = 4
)

// token is by what a client that lost its connection names its session.
type token [16]byte

// session is what a client has here. It belongs to one connection at a time, and
// to none for a while after that was lost, if the client asked for a token.
type session struct {
	server   *Server
	identity *auth.Identity
	version  version
	replies  replies
	used     atomic.Int64 // Unix nanoseconds of the last request

	// server.mu guards these.
	conn   *conn // nil when it was lost
	token  token // zero: the client asked for none
	id     string
	timely uint32      // when the client's machine started, as it says
	ended  bool        // it is not kept any more
	expiry *time.Timer // of a lost session

	mu      sync.Mutex
	volumes map[afpwire.VolumeID]*volume
	lastVol afpwire.VolumeID
}

func newSession(c *conn, id *auth.Identity, v version) *session {
	return &session{server: c.server, identity: id, version: v, conn: c, volumes: map[afpwire.VolumeID]*volume{}}
}

// user names the session's user for logs.
func (s *session) user() string {
	if s.identity.Guest {
		return "guest"
	}
	return s.identity.User
}

// end gives up all that the client has.
func (s *session) end() {
	s.server.mu.Lock()
	s.ended = true
	if s.token != (token{}) {
		delete(s.server.tokens, s.token)
	}
	if s.expiry != nil {
		s.expiry.Stop()
	}
	s.server.mu.Unlock()
	s.mu.Lock()
	volumes := s.volumes
	s.volumes = map[afpwire.VolumeID]*volume{}
	s.mu.Unlock()
	for _, v := range volumes {
		v.close()
	}
}

// leave keeps the session for the return of its client, whose connection c was
// lost.
func (s *session) leave(c *conn) {
	server := s.server
	server.mu.Lock()
	s.conn = nil
	keep := s.token != (token{}) && !s.ended
	if keep {
		keepFor := keepTime
		if c.asleep.Load() {
			keepFor = sleepTime
		}
		s.expiry = time.AfterFunc(keepFor, s.end)
	}
	surplus := server.surplus(s.identity)
	server.mu.Unlock()
	if !keep {
		s.end()
	}
	if surplus != nil {
		surplus.end()
	}
}

// surplus returns the lost session of a user that was not used for longest if
// there are too many, else nil. mu is held.
func (s *Server) surplus(id *auth.Identity) *session {
	n, oldest := 0, (*session)(nil)
	for _, other := range s.tokens {
		if other.conn != nil || !sameUser(other.identity, id) {
			continue
		}
		n++
		if oldest == nil || other.used.Load() < oldest.used.Load() {
			oldest = other
		}
	}
	if n <= maxKept {
		return nil
	}
	return oldest
}

func sameUser(a, b *auth.Identity) bool { return a.Guest == b.Guest && a.User == b.User }

// name gives the session a token, a new one each time.
func (s *session) name(id string, timely uint32) token {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.token != (token{}) {
		delete(s.server.tokens, s.token)
	}
	rand.Read(s.token[:])
	s.id, s.timely = id, timely
	s.server.tokens[s.token] = s
	return s.token
}

var errNoSuchSession = errors.New("no such session")

// reclaim finds the session of a token for its user, ends its connection if it
// has one, and gives it to c.
func (c *conn) reclaim(t token) (*session, error) {
	s := c.server
	for {
		s.mu.Lock()
		old := s.tokens[t]
		if old == nil || old == c.session || !sameUser(old.identity, c.session.identity) {
			s.mu.Unlock()
			return nil, errNoSuchSession
		}
		before := old.conn
		if before == nil {
			there := old.expiry.Stop() // else it is just ending
			if there {
				old.conn = c
			}
			s.mu.Unlock()
			if !there {
				return nil, errNoSuchSession
			}
			return old, nil
		}
		s.mu.Unlock()
		before.cut(errReplaced)
		select {
		case <-before.done:
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		}
	}
}

// endOthers ends the sessions of the same user that c's client says were its, by
// their id: those of another start of its machine if it tells that.
func (c *conn) endOthers(id string, timely uint32, timed bool) {
	var others []*session
	s := c.server
	s.mu.Lock()
	for _, o := range s.tokens {
		if o != c.session && o.id == id && sameUser(o.identity, c.session.identity) && (!timed || o.timely != timely) {
			others = append(others, o)
		}
	}
	s.mu.Unlock()
	for _, o := range others {
		s.mu.Lock()
		before := o.conn
		s.mu.Unlock()
		if before != nil {
			before.cut(errReplaced)
			select {
			case <-before.done:
			case <-c.ctx.Done():
				return
			}
		}
		o.end()
	}
}
