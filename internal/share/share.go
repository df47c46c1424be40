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
	"time"

	"github.com/dozo-server/dozo/auth"
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
// before it is taken to have agreed ([MS-SMB2] 3.3.2.1 names 35 seconds).
const BreakTimeout = 35 * time.Second

// Options are the properties of a share. They do not change while it is
// served.
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

	// BreakTimeout replaces the constant of that name unless it is zero.
	BreakTimeout time.Duration
}

// Share is a served vfs.FS with its table of opens. All methods may be called
// by several goroutines at once.
type Share struct {
	fs vfs.FS
	o  Options
}

// New returns a share of fs. All access to fs that is not to escape the rules
// must go through this one Share.
func New(fs vfs.FS, o Options) *Share { return &Share{fs: fs, o: o} }

// Options returns what New was given.
func (s *Share) Options() Options { return s.o }

// Name returns the share's name.
func (s *Share) Name() string { return s.o.Name }

// Features returns those of the FS.
func (s *Share) Features() vfs.Features { return s.fs.Features() }

// Attach connects id to the share. Error: KindAccess when the share is not for
// it.
func (s *Share) Attach(id *auth.Identity) (*Tree, error) {
	return nil, vfs.NewError("attach", s.o.Name, vfs.KindUnsupported, nil)
}

// OpenInfo describes an open to the status page.
type OpenInfo struct {
	Path   string
	User   string // "" for a guest
	Access vfs.Access
	Share  Mode
	Oplock Oplock
	Locks  int // byte ranges held
	Delete bool
	Opened time.Time
}

// Opens returns a snapshot of all opens, in no particular order.
func (s *Share) Opens() []OpenInfo { return nil }
