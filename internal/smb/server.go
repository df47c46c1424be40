// Package smb serves SMB 2 and 3 ([MS-SMB2]) from shares.
//
// A frame comes in on a connection (conn.go), is decrypted, verified and cut
// into requests (chain.go); the table in commands.go says what state each
// request needs and who handles it; a handler, one file each, returns a
// message or an error; status.go turns errors into statuses; the connection
// alone signs, encrypts and sends (send.go). docs/request.md follows one READ
// all the way.
package smb

import (
	"container/list"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/rpc"
)

// Config is what a Server needs to know. It is not changed while one runs.
type Config struct {
	// Name is the server's name in logins and on the network, at most 15
	// characters for old clients' sake.
	Name string

	// GUID identifies the server over restarts.
	GUID [16]byte

	// Users are asked at each login. Who is an auth.Changer, too, lets them
	// change their passwords.
	Users auth.Users

	// Guard holds back those who guess passwords. Nil: one of the server's own.
	Guard *auth.Guard

	// Shares are what is served.
	Shares Shares

	// RequireSigning refuses sessions that do not sign, but for guests, who
	// have no key to sign with.
	RequireSigning bool

	// Encrypt refuses sessions that do not encrypt.
	Encrypt bool

	// Guest lets unknown users and anonymous ones in as guests. What a guest
	// may see is up to each share. SetGuest changes it.
	Guest bool

	// Hosts are where clients may come from. SetHosts changes it.
	Hosts auth.Hosts

	// Descriptors is how many of the process's descriptors sessions and open
	// files may take, and a fourth of it strangers' connections. 0: any number.
	Descriptors int

	// MachineSID is the SID that those of users and groups are made from.
	MachineSID [3]uint32

	// Accounts names the machine's users and groups to those who ask who owns
	// a file. Nil: none of them is told.
	Accounts rpc.Accounts

	// Audit is told who logs in and who connects to which share, and who may not.
	// Nil: nobody is.
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
	// not served. It is asked at each TREE_CONNECT and must not wait for the disks
	// of other shares.
	Named(name string, id *auth.Identity) *share.Share
}

// Limits of a connection.
const (
	// maxIO is the largest READ, WRITE and transaction, in bytes.
	maxIO = 8 << 20

	// maxSmallIO is the same for clients without multi-credit messages.
	maxSmallIO = 64 << 10

	// loginTime is how long a client may take for its login.
	loginTime = 45 * time.Second
)

// Server serves SMB on any number of listeners. All methods may be called by
// several goroutines at once.
type Server struct {
	config  Config
	workers *workers
	inline  inline
	started time.Time
	ctx     context.Context // ends with Shutdown
	stop    context.CancelFunc
	running sync.WaitGroup // connections and listeners
	held    holdings
	guests  atomic.Bool
	signs   atomic.Bool // sessions must sign
	hosts   atomic.Pointer[auth.Hosts]
	logins  atomic.Uint64 // the number of the last session
	checks  atomic.Uint64 // how often users were looked at again

	changing turns // of passwords

	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	strangers list.List           // of conns, the first longest there
	sessions  map[uint64]*session // logged in, or about to
	connSeq   uint64
}

// NewServer returns a Server that serves nothing yet.
func NewServer(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Guard == nil {
		c.Guard = auth.NewGuard(nil)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		config:    c,
		workers:   newWorkers(),
		held:      holdings{limit: c.Descriptors},
		started:   time.Now(),
		ctx:       ctx,
		stop:      stop,
		listeners: map[net.Listener]struct{}{},
		conns:     map[*conn]struct{}{},
		sessions:  map[uint64]*session{},
	}
	s.SetGuest(c.Guest)
	s.hosts.Store(&c.Hosts)
	s.signs.Store(c.RequireSigning)
	return s
}

// Serve accepts connections on l until ctx ends, Shutdown is called or l
// fails. It closes l, and returns nil when it was asked to end.
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
		s.config.Log.Warn("smb: a connection could not be accepted", "error", err)
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

// admit starts a connection, unless the server is stopping or it is from where
// nobody may come from.
func (s *Server) admit(nc net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		nc.Close()
		return
	}
	if !s.welcomes(nc) && !fromHere(nc) {
		s.logUnwelcome(nc)
		nc.Close()
		return
	}
	s.connSeq++
	c := newConn(s, nc, s.connSeq)
	s.conns[c] = struct{}{}
	c.place = s.strangers.PushBack(c)
	if limit := s.config.Descriptors / 4; limit > 0 && s.strangers.Len() > limit {
		// Who logs in does so at once, so it is most likely one who never will.
		s.strangers.Remove(s.strangers.Front()).(*conn).cut()
	}
	s.running.Add(1)
	go c.read()
}

// know is told that c is no stranger any more.
func (s *Server) know(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strangers.Remove(c.place)
}

// forget is called by a connection that has ended.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.strangers.Remove(c.place)
	s.mu.Unlock()
	s.running.Done()
}

// Shutdown closes the listeners, lets the requests that were received finish
// and their replies go out, closes all connections and opens, and returns. When
// ctx ends earlier, connections are cut and the error is that of ctx.
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
	defer s.workers.close()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for c := range s.conns {
		c.cut()
	}
	s.mu.Unlock()
	<-done
	return ctx.Err()
}

// register gives a session its id. Clients exist that keep 32 bits of it only.
func (s *Server) register(sess *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess.id == 0 || s.sessions[sess.id] != nil {
		var b [4]byte
		rand.Read(b[:])
		sess.id = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	s.sessions[sess.id] = sess
}

// unregister takes a session out; its id is free again.
func (s *Server) unregister(sess *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[sess.id] == sess {
		delete(s.sessions, sess.id)
	}
}

// sessionByID finds a session of any connection.
func (s *Server) sessionByID(id uint64) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}
