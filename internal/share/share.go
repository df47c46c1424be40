// Package share is where all protocols meet: one table of opens over any
// vfs.FS, which decides with the rules of [MS-FSA] who may open a file beside
// whom, who must give up an oplock first, which byte ranges are locked and when
// a file that was to be deleted goes.
//
// # Waiting
//
// A call that has to wait, for the break of an oplock or for a byte range,
// tells so through the function that OnPark put into its context, and ends
// with KindCanceled when the context does.
package share

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/meter"
	"github.com/dozo-server/dozo/internal/wildcard"
	"github.com/dozo-server/dozo/vfs"
)

// GuestAccess says what guests may do in a share.
type GuestAccess uint8

// The choices.
const (
	GuestNone  GuestAccess = iota // guests are refused
	GuestRead                     // guests may look
	GuestWrite                    // guests may do what users may
)

// BreakTimeout is how long a holder has to acknowledge the break of an oplock
// before it is taken to have given it up ([MS-SMB2] 3.3.2.1).
const BreakTimeout = 35 * time.Second

// Options are the properties of a share.
type Options struct {
	Name     string // as clients see it, without a path
	Comment  string
	ReadOnly bool // nothing can be changed, by nobody
	Encrypt  bool // protocols that can encrypt must
	Hidden   bool // not in lists of shares

	// Users and Groups may use the share; when both are empty, all users
	// may. ReadOnlyUsers may too, but change nothing. Names compare without
	// regard to case.
	Users         []string
	ReadOnlyUsers []string
	Groups        []string
	Guest         GuestAccess

	// Only is the one user who may use the share, if the lists allow it. "": there
	// is none.
	Only string

	// Hosts are where those who use the share may come from.
	Hosts auth.Hosts

	// Veto are patterns, with * and ?, of names that are there for no client, in
	// whatever folder; Hide are those of names that have the hidden attribute.
	// They compare as names do. CheckPattern tells which can be meant.
	// DeleteVetoed lets a folder be deleted that holds only what Veto names, with
	// all of that; else it is not empty.
	Veto, Hide   []string
	DeleteVetoed bool

	// Recycle is the name of a folder in the root that takes what clients delete.
	// "": what they delete is gone. BinFailed is told of what that could not take,
	// and why: it is gone for good, or, where a right was missing, still there; nil:
	// nobody is.
	//
	// RecycleFor is for how long a file stays there; 0: it is up to its user. See
	// Expire.
	Recycle    string
	RecycleFor time.Duration
	BinFailed  func(path string, gone bool, why error)

	// Audit is told who changes something, and who may not. Nil: nobody is.
	Audit *audit.Log

	// Account acts for all who use the share, in place of their own. Nil: nobody
	// does. Only its HasID, UID, GID and Groups count.
	Account *auth.Identity

	// MaxSize is the size, in bytes, that the volume seems to have at most. More
	// can be written all the same. 0: there is none.
	MaxSize int64

	// BreakTimeout replaces the constant of that name unless it is zero.
	BreakTimeout time.Duration

	filter *filter           // of Veto and Hide
	bin    *wildcard.Pattern // of Recycle
}

// Share is a served vfs.FS with its table of opens. All methods may be called
// by several goroutines at once.
type Share struct {
	fs vfs.FS
	o  atomic.Pointer[Options]

	table         table
	folders       atomic.Int64 // opens of folders
	doomed        atomic.Int64 // names that go with their last close
	doomedFolders atomic.Int64 // and are those of folders
	times         changeTimes
	watches       watches
	meter         meter.Meter

	attaching sync.Mutex // held to change ended, and to add to attached before
	ended     bool
	attached  sync.WaitGroup // trees that are in use
}

// New returns a share of fs. All access to fs that is not to escape the rules
// must go through this one Share.
func New(fs vfs.FS, o Options) *Share {
	s := &Share{fs: fs}
	s.SetOptions(o)
	s.table.init()
	return s
}

// SetOptions replaces the options. A Tree keeps those that it was attached
// under and is Stale from then on: whoever attached it is to attach it anew.
// What is open stays open, with the rights it was opened with.
func (s *Share) SetOptions(o Options) {
	if o.BreakTimeout == 0 {
		o.BreakTimeout = BreakTimeout
	}
	o.filter, o.bin = newFilter(&o, s.fs.Features()), newBin(&o, s.fs.Features())
	s.o.Store(&o)
}

// End refuses every Attach from now on. Trees that are in use stay so, and are
// Stale.
func (s *Share) End() {
	s.attaching.Lock()
	defer s.attaching.Unlock()
	s.ended = true
	s.SetOptions(s.Options())
}

// Wait returns when no Tree is in use any more, and so nobody calls the FS. It
// is called after End.
func (s *Share) Wait() { s.attached.Wait() }

// Options returns what New or SetOptions was given last, with defaults filled
// in.
func (s *Share) Options() Options { return *s.o.Load() }

// Name returns the share's name.
func (s *Share) Name() string { return s.o.Load().Name }

// Meter counts what protocols are asked of the share.
func (s *Share) Meter() *meter.Meter { return &s.meter }

// Features returns those of the FS.
func (s *Share) Features() vfs.Features { return s.fs.Features() }
