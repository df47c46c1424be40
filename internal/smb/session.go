package smb

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Bounds of one session.
const (
	maxOpens = 65536 // as on Windows
	maxPipes = 128   // of them, each of which may hold a megabyte of answers
	maxTrees = 1024
)

// session is a login of a client ([MS-SMB2] 3.3.1.8).
//
// Lock order: mu is taken under no other lock but conn.mu, and none is taken
// under it but what share.Attach takes.
type session struct {
	conn    *conn
	id      uint64
	number  uint64 // by which an administrator calls it, once it is valid; never given twice
	created time.Time
	used    atomic.Int64           // Unix nanoseconds of the last request
	shield  atomic.Uint32          // how that was protected, a shield
	client  atomic.Pointer[client] // what the client said of itself

	// Set by SESSION_SETUP, which the connection's reader runs, before armed
	// and valid are, and never changed after that. Others may name a session
	// whose login is in progress: they look at armed first.
	signer    smbcrypt.Signer // nil for a guest, who has no key
	sealOut   *smbcrypt.Sealer
	sealIn    *smbcrypt.Sealer
	mustSign  bool
	mustSeal  bool
	armed     atomic.Bool // for good, also when the session is valid no more
	valid     atomic.Bool
	dismissed atomic.Bool                   // by an administrator; the keys are kept for the answers that say so
	identity  atomic.Pointer[auth.Identity] // replaced by a new login on the session
	login     *login                        // a login in progress; the reader's
	guestAs   string                        // the name that a guest came with; not changed once valid

	mu      sync.Mutex
	trees   map[uint32]*tree
	opens   map[uint64]*open // by FileID.Volatile
	pipes   int              // among opens
	treeSeq uint32
	openSeq uint64
	closed  bool
	holds   string // the user in whose holdings the session is, once it is valid
}

// verify checks how a request is protected against the session that it names
// ([MS-SMB2] 3.3.5.2.4). It is called in the order in which messages came.
func (c *conn) verify(r *request) error {
	if r.chain.encrypted != nil {
		if r.header.SessionID != r.chain.encrypted.id {
			return smbwire.StatusAccessDenied
		}
		return nil
	}
	if r.header.Flags&smbwire.FlagSigned == 0 {
		return nil // whether it must be is admits' question
	}
	s := c.session(r.header.SessionID)
	switch {
	case s == nil:
		return nil // which is told in the answer
	case s.signer == nil:
		if s.valid.Load() || r.header.Command != smbwire.SessionSetup {
			return smbwire.StatusAccessDenied
		}
		return nil
	case !s.signer.Verify(r.message):
		return smbwire.StatusAccessDenied
	}
	return nil
}

// shield says how a request is protected.
type shield uint32

const (
	unshielded shield = iota
	signed
	sealed
)

// admits reports whether r is protected as much as its session demands, and
// notes that the session is in use.
func (s *session) admits(r *request) error {
	have := unshielded
	switch {
	case r.chain.encrypted != nil:
		have = sealed
	case r.header.Flags&smbwire.FlagSigned != 0:
		have = signed
	}
	if s.mustSeal && have != sealed || s.mustSign && have == unshielded {
		return smbwire.StatusAccessDenied
	}
	s.used.Store(r.began.UnixNano())
	if shield(s.shield.Load()) != have { // else it need not go from processor to processor
		s.shield.Store(uint32(have))
	}
	return nil
}

// decrypt opens an encrypted message and tells whose it is.
func (c *conn) decrypt(frame []byte) (*session, []byte, error) {
	id, err := smbcrypt.TransformSession(frame)
	if err != nil {
		return nil, nil, err
	}
	s := c.session(id)
	if s == nil || s.sealIn == nil || !s.valid.Load() && !s.dismissed.Load() {
		return nil, nil, fmt.Errorf("encrypted message for no session")
	}
	message, err := s.sealIn.Open(frame)
	if err != nil {
		return nil, nil, err
	}
	if len(message) < smbwire.HeaderSize {
		return nil, nil, fmt.Errorf("encrypted message of %d bytes", len(message))
	}
	return s, message, nil
}

// seal encrypts a frame in place: what stands from headRoom on.
func (s *session) seal(b *buffer) {
	s.sealOut.Seal(b.b[frameHeaderSize:], s.id)
}

// tree finds the tree connect of an id, nil if there is none, for a request that
// uses its share until it has been handled.
func (s *session) tree(r *request, id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.tree = s.trees[id]; r.tree != nil && r.tree.files != nil {
		r.tree.files.Use()
		r.uses = r.tree.files
	}
}

// connect adds a tree connect and gives it its id.
func (s *session) connect(t *tree) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.trees) >= maxTrees {
		return smbwire.StatusInsufficientResources
	}
	for t.id == 0 || t.id == 1<<32-1 || s.trees[t.id] != nil {
		s.treeSeq++
		t.id = s.treeSeq
	}
	s.trees[t.id] = t
	return nil
}

// disconnect ends a tree connect and closes its opens.
func (s *session) disconnect(t *tree) {
	s.mu.Lock()
	now := s.trees[t.id] // it may be another one for the same share
	delete(s.trees, t.id)
	var opens []*open
	for _, o := range s.opens {
		if o.tree.id == t.id {
			s.dropLocked(o)
			opens = append(opens, o)
		}
	}
	s.mu.Unlock()
	for _, o := range opens {
		o.close()
	}
	if now != nil {
		now.leave()
	}
}

// open returns the open of an id, nil if there is none.
func (s *session) open(id smbwire.FileID) *open {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.opens[id.Volatile]; o != nil && o.id == id {
		return o
	}
	return nil
}

// keep registers an open and gives it its id. When the session or the
// tree is gone meanwhile, or holds too many, the open is closed.
func (s *session) keep(o *open) error {
	s.mu.Lock()
	var refusal error
	switch {
	case s.closed:
		refusal = smbwire.StatusUserSessionDeleted
	case len(s.opens) >= maxOpens || o.pipe != nil && s.pipes >= maxPipes:
		refusal = smbwire.StatusTooManyOpenedFiles
	case s.trees[o.tree.id] == nil:
		refusal = smbwire.StatusNetworkNameDeleted
	}
	if refusal != nil {
		s.mu.Unlock()
		o.close()
		return refusal
	}
	s.openSeq++
	o.id = smbwire.FileID{Persistent: s.openSeq, Volatile: s.openSeq}
	s.opens[o.id.Volatile] = o
	if o.pipe != nil {
		s.pipes++
	}
	s.mu.Unlock()
	return nil
}

// release takes an open out of the session and reports whether it was there.
// Whoever released it closes it.
func (s *session) release(o *open) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opens[o.id.Volatile] != o {
		return false
	}
	s.dropLocked(o)
	return true
}

// dropLocked undoes keep. It is called with mu held.
func (s *session) dropLocked(o *open) {
	delete(s.opens, o.id.Volatile)
	if o.pipe != nil {
		s.pipes--
	}
}

// hold puts the session into the holdings of its user.
func (s *session) hold(user string) error {
	if !s.conn.server.held.take(user) {
		return smbwire.StatusTooManySessions
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // meanwhile, by another connection
		s.conn.server.held.give(user)
		return smbwire.StatusUserSessionDeleted
	}
	s.holds = user
	return nil
}

// close ends the session: its opens are closed and its id means nothing. One that
// an administrator ended stays known to its connection.
func (s *session) close() {
	if s.valid.Swap(false) {
		s.noteGuest()
	}
	s.conn.server.unregister(s)
	s.conn.mu.Lock()
	if s.conn.sessions[s.id] == s && !s.dismissed.Load() {
		delete(s.conn.sessions, s.id)
	}
	s.conn.mu.Unlock()

	s.mu.Lock()
	opens, trees := s.opens, s.trees
	s.opens, s.trees, s.closed = map[uint64]*open{}, map[uint32]*tree{}, true
	holds := s.holds
	s.holds = ""
	s.mu.Unlock()
	if holds != "" {
		s.conn.server.held.give(holds)
	}
	for _, o := range opens {
		o.close()
	}
	for _, t := range trees {
		t.leave()
	}
}

// user names the session's user for logs and lists.
func (s *session) user() string {
	id := s.identity.Load()
	switch {
	case id == nil:
		return ""
	case id.Guest:
		return "guest"
	}
	return id.User
}
