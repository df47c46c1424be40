// Package afp serves the Apple Filing Protocol, 2.2 and 3.0 to 3.4, over TCP from
// shares.
//
// A frame comes in on a connection (conn.go) and becomes a request; the table in
// commands.go says what state it needs and who handles it; a handler, one file
// each, returns a message or an error; result.go turns errors into results; the
// connection alone sends (send.go). What a client has, it has in a session
// (session.go), which outlives a connection that was lost.
package afp

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/uam"
)

// Config is what a Server needs to know. It is not changed while one runs.
type Config struct {
	// Name is the server's name as Macs show it.
	Name string

	// Signature is by which Macs know that it is the same server. It should stay
	// the same for good.
	Signature [16]byte

	// Users are asked at each login. Who is an auth.Changer, too, lets them
	// change their passwords.
	Users auth.Users

	// Guard holds back those who guess passwords. Nil: one of the server's own.
	Guard *auth.Guard

	// Methods are the names of the login methods to offer, out of uam.Methods.
	// Nil: the usual ones. SRP is offered only while everybody has a verifier,
	// and the login of guests only with Guest.
	Methods []string

	// Secret makes up what strangers are shown of users who are none. It should
	// stay the same as long as Users do. Nil: a new one.
	Secret []byte

	// Guest lets clients in that do not say who they are. What a guest may see is
	// up to each share.
	Guest bool

	// Hosts are where clients may come from.
	Hosts auth.Hosts

	// Shares are what is served.
	Shares Shares

	// Accounts names the machine's users and groups. Nil: there are none to name.
	Accounts Accounts

	// Sessions is how many clients there may be at a time. 0: 200.
	Sessions int

	// Audit is told who logs in and who opens which volume, and who may not. Nil:
	// nobody is.
	Audit *audit.Log

	// Log gets what an administrator wants to know.
	Log *slog.Logger
}

// Shares knows what is served, which may change with the disks that are there.
// Its methods may be called by several goroutines at once.
type Shares interface {
	// All returns what is served to id at this moment.
	All(id *auth.Identity) []*share.Share
	// Named returns the share that id means by a name, in any case, nil if it is
	// not served.
	Named(name string, id *auth.Identity) *share.Share
}

// Accounts knows the users and groups of the machine by number and by name.
// auth.Machine does. Its methods may be called by several goroutines at once.
type Accounts interface {
	UserName(uid uint32) (name string, ok bool)
	GroupName(gid uint32) (name string, ok bool)
	UserID(name string) (uid uint32, ok bool)
	GroupID(name string) (gid uint32, ok bool)
}

// Bounds of what clients take.
const (
	defaultSessions = 200
	// maxStrangers is how many connections may be there without a login.
	maxStrangers = 256
	// loginTime is how long a client may take for its login.
	loginTime = 45 * time.Second
)

// Server serves AFP on any number of listeners. All methods may be called by
// several goroutines at once.
type Server struct {
	config  Config
	ctx     context.Context // ends with Shutdown
	stop    context.CancelFunc
	running sync.WaitGroup // connections and listeners

	// mu is taken under no other lock, and none is taken under it.
	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	strangers int // of conns
	open      int // conns that have said DSIOpenSession
	tokens    map[token]*session
}

// NewServer returns a Server that serves nothing yet.
func NewServer(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Guard == nil {
		c.Guard = auth.NewGuard(nil)
	}
	if c.Methods == nil {
		for _, m := range uam.Methods {
			if m.Usual {
				c.Methods = append(c.Methods, m.Name)
			}
		}
	}
	if c.Secret == nil {
		c.Secret = make([]byte, 32)
		rand.Read(c.Secret)
	}
	if c.Sessions == 0 {
		c.Sessions = defaultSessions
	}
	s := &Server{
		config:    c,
		listeners: map[net.Listener]struct{}{},
		conns:     map[*conn]struct{}{},
		tokens:    map[token]*session{},
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Serve accepts connections on l until ctx ends, Shutdown is called or l fails.
// It closes l, and returns nil when it was asked to end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.mu.Lock()
	if s.ctx.Err() != nil {
		s.mu.Unlock()
		return l.Close()
	}
	s.listeners[l] = struct{}{}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	defer s.leave(l)

	defer context.AfterFunc(ctx, func() { l.Close() })()
	for delay := time.Duration(0); ; {
		nc, err := l.Accept()
		if err == nil {
			delay = 0
			s.admit(nc)
			continue
		}
		if ctx.Err() != nil || s.ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		// Out of descriptors, most likely: wait for some to be closed.
		delay = min(max(2*delay, 5*time.Millisecond), time.Second)
		s.config.Log.Warn("afp: a connection could not be accepted", "error", err)
		select {
		case <-time.After(delay):
		case <-s.ctx.Done():
			return nil
		}
	}
}

// leave forgets a listener.
func (s *Server) leave(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

// admit starts a connection, unless the server is stopping, it is from where
// nobody may come from, or too many strangers are there.
func (s *Server) admit(nc net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || s.strangers >= maxStrangers || !s.config.Hosts.Admits(address(nc)) {
		nc.Close()
		return
	}
	c := newConn(s, nc)
	s.conns[c] = struct{}{}
	s.strangers++
	s.running.Add(1)
	go c.read()
}

// enter counts a connection that opens its session, and reports false if there
// are too many.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.config.Sessions {
		return false
	}
	s.open++
	return true
}

// know is told that a connection is no stranger's any more.
func (s *Server) know() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strangers--
}

// forget is called by a connection that has ended.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	if c.stranger {
		s.strangers--
	}
	if c.opened {
		s.open--
	}
	s.mu.Unlock()
	s.running.Done()
}

// Shutdown closes the listeners and all connections, ends all sessions and
// returns. Requests in work finish first, unless ctx ends before: then they are
// cancelled, and the error is that of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stop()
	for l := range s.listeners {
		l.Close()
	}
	for c := range s.conns {
		c.drain()
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	err := error(nil)
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
		s.mu.Lock()
		for c := range s.conns {
			c.cut(errStopping)
		}
		s.mu.Unlock()
		<-done
	}
	s.mu.Lock()
	kept := s.tokens
	s.tokens = map[token]*session{}
	s.mu.Unlock()
	for _, sess := range kept {
		sess.end()
	}
	return err
}

// address is that of a connection's client, the zero one if that is not of IP.
func address(nc net.Conn) netip.Addr {
	if a, ok := nc.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr()
	}
	return netip.Addr{}
}
