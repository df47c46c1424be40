package dozo

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/volume"
)

// Signing says whether clients must sign what they send.
type Signing uint8

// The choices. Guests have no key to sign with and are exempt.
const (
	SigningRequired Signing = iota // sessions that do not sign are refused
	SigningOffered                 // clients that want to sign do
)

// stopTime is how long a stop waits for requests that are under way.
const stopTime = 10 * time.Second

// Server serves shares. The options are not changed once it serves; its
// methods may be called by several goroutines at once.
type Server struct {
	// Name is the server's name in clients' eyes. Empty: the machine's.
	Name string

	// ID identifies the server; clients take one with another id for another
	// server. Zero: a random one, new at each start.
	ID [16]byte

	// MachineSID is what the SIDs of users and groups begin with, S-1-5-21 with
	// these three numbers behind it: that of a server which this one takes the
	// place of. Zero: one that is made from ID.
	MachineSID [3]uint32

	// Shares are what is served at first; SetShares changes that. No two may
	// have the same name, or folders that overlap.
	Shares []Share

	// Users may log in. Nil: there are only guests. They may change their
	// passwords where this is an auth.Changer, too.
	Users auth.Users

	// Addresses are where ListenAndServe listens for SMB, such as
	// "192.0.2.1:445". Empty: ":445".
	Addresses []string

	// Hosts are where clients may come from, whatever share they want. SetHosts
	// changes that.
	Hosts auth.Hosts

	// Signing is required unless said otherwise. SetSigning changes it.
	Signing Signing

	// Encrypt refuses clients that can't encrypt, for all shares.
	Encrypt bool

	// Memory bounds the bytes that names kept in memory take, of all shares
	// together; while the machine is short of memory they take less. Zero: an
	// eighth of the machine's, or of what a container may have, at most 1 GiB.
	// SetMemory changes it.
	Memory int64

	// Audit gets a line of JSON for each login, each connection to a share, each
	// name that is made, deleted or changed and each file that is opened to be
	// written, done or refused, with time, user, address, share and path. It is
	// written to by one goroutine, whole lines at a time. While it is slow 8192
	// lines wait; those beyond are lost, and one line says how many. Nil: nobody
	// keeps account. SetAudit changes it.
	Audit io.Writer

	// Log gets what an administrator wants to know. Nil: nothing is logged.
	Log *slog.Logger

	// Ready is called once, when every listener accepts. Nil: nobody is told.
	Ready func()

	mu      sync.Mutex
	running *running // nil until Serve
}

// running is a server at work.
type running struct {
	smb       *smb.Server
	common    common
	log       *slog.Logger
	aside     sync.WaitGroup // what goes on beside all requests
	endAside  func()
	listening []string
	started   time.Time
	shares    atomic.Pointer[[]*mounted] // the list is not changed but replaced
	homes     atomic.Pointer[[]*Share]   // by which users have shares of their own, which are among shares; likewise
	homeless  sync.Map                   // why a user has none, as it was told

	changing sync.Mutex     // held to replace shares
	stopped  bool           // shares are replaced no more
	leaving  []leaving      // shares that were taken away, and may not be gone
	changes  sync.WaitGroup // what goes on after shares were replaced
}

// ErrServing is the error of a second Serve.
var ErrServing = errors.New("dozo: the server was started before")

// ListenAndServe listens on s.Addresses and calls Serve.
func (s *Server) ListenAndServe(ctx context.Context) error {
	addrs := s.Addresses
	if len(addrs) == 0 {
		addrs = []string{":445"}
	}
	var ls []net.Listener
	for _, addr := range addrs {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			closeAll(ls)
			return err
		}
		ls = append(ls, l)
	}
	return s.Serve(ctx, ls...)
}

// Serve serves SMB on the listeners until ctx ends, Shutdown is called or a
// listener fails, and closes them. When ctx ends it stops as Shutdown does and
// returns nil. A Server serves once.
func (s *Server) Serve(ctx context.Context, smbListeners ...net.Listener) error {
	run, err := s.start(smbListeners)
	if err != nil {
		closeAll(smbListeners)
		return err
	}
	defer run.close()

	failed := make(chan error, len(smbListeners))
	for _, l := range smbListeners {
		go func() { failed <- run.smb.Serve(context.WithoutCancel(ctx), l) }()
	}
	if s.Ready != nil {
		s.Ready()
	}
	select {
	case err = <-failed: // nil after Shutdown
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	return errors.Join(err, run.smb.Shutdown(stop))
}

// Shutdown closes the listeners, lets the requests that have arrived finish,
// closes what clients have open, and ends Serve. When ctx ends first, the
// connections are cut and the error is that of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	run := s.running
	s.mu.Unlock()
	if run == nil {
		return nil
	}
	return run.smb.Shutdown(ctx)
}

// start opens the shares and makes the protocols' servers.
func (s *Server) start(ls []net.Listener) (*running, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return nil, ErrServing
	}
	log := s.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	run := &running{started: time.Now(), log: log, common: common{budget: budget.New(memoryFor(s.Memory)), descriptors: names.NewDescriptors(0)}}
	run.shares.Store(&[]*mounted{})
	run.common.audit = audit.New(s.Audit, func(err error) { log.Error("lines of the audit log could not be written", "error", err) })
	ctx, cancel := context.WithCancel(context.Background())
	run.endAside = cancel
	run.aside.Go(func() { fit(ctx, run.common.budget) })
	shares := slices.Clone(s.Shares)
	all, _, err := run.mountAll(shares, nil)
	if err != nil {
		run.close()
		return nil, err
	}
	run.shares.Store(&all)
	run.homes.Store(homesOf(shares))
	run.aside.Go(func() { run.expire(ctx) })
	for _, l := range ls {
		run.listening = append(run.listening, l.Addr().String())
	}
	id := s.ID
	if id == ([16]byte{}) {
		rand.Read(id[:])
	}
	sid := s.MachineSID
	if sid == ([3]uint32{}) {
		sid = machineSID(id)
	}
	run.smb = smb.NewServer(smb.Config{
		Name:           s.name(),
		GUID:           id,
		Users:          s.Users,
		Shares:         run,
		RequireSigning: s.Signing == SigningRequired,
		Encrypt:        s.Encrypt,
		Guest:          admitsGuests(shares),
		Hosts:          s.Hosts,
		MachineSID:     sid,
		Accounts:       auth.Machine{Users: s.Users},
		Descriptors:    volume.OpenLimit() / 2,
		Audit:          run.common.audit,
		Log:            log,
	})
	s.running = run
	return run, nil
}

// All returns the shares that can be served to id at this moment, and those whose
// disk does not answer: a list of shares must not wait for that, and who uses one
// sees how it is.
func (r *running) All(id *auth.Identity) []*share.Share {
	r.moveIn(id)
	var own []*mounted
	for _, m := range *r.shares.Load() {
		if m.isFor(id) {
			own = append(own, m)
		}
	}
	var shares []*share.Share
	for _, s := range lookAt(own, listTime) {
		if s.share != nil && (s.refused == nil || s.refused == errSilent) {
			shares = append(shares, s.share)
		}
	}
	return shares
}

// Named returns the share that id means by a name, in any case, nil if it can't
// be served at this moment. A disk that hangs holds up its own share only.
func (r *running) Named(name string, id *auth.Identity) *share.Share {
	m := r.named(name, id)
	if m == nil {
		r.moveIn(id)
		m = r.named(name, id)
	}
	if m == nil {
		return nil
	}
	s, _ := m.current()
	return s
}

// named finds a share that is there. One for all comes before a user's own.
func (r *running) named(name string, id *auth.Identity) (found *mounted) {
	for _, m := range *r.shares.Load() {
		o := m.options.Load()
		if !strings.EqualFold(o.Name, name) || !m.isFor(id) {
			continue
		}
		if o.user == "" {
			return m
		}
		found = m
	}
	return found
}

func (r *running) close() {
	r.endAside()
	r.aside.Wait()
	r.changing.Lock()
	r.stopped = true
	r.changing.Unlock()
	r.changes.Wait()
	for _, m := range *r.shares.Load() {
		m.close()
	}
	r.common.audit.Close()
}

// name is the server's name as old clients take it: 15 letters at most, the
// first part of the host's.
func (s *Server) name() string {
	name := s.Name
	if name == "" {
		name, _ = os.Hostname()
		name, _, _ = strings.Cut(name, ".")
	}
	if name == "" {
		name = "dozo"
	}
	letters := []rune(strings.ToUpper(name))
	return string(letters[:min(len(letters), 15)])
}

// machineSID makes the three numbers of the machine's SID, S-1-5-21-a-b-c, out
// of the server's id, so that they last as long.
func machineSID(id [16]byte) (sid [3]uint32) {
	for i := range sid {
		sid[i] = binary.LittleEndian.Uint32(id[4*i:]) ^ binary.LittleEndian.Uint32(id[12:])
	}
	return sid
}

func closeAll(ls []net.Listener) {
	for _, l := range ls {
		l.Close()
	}
}
