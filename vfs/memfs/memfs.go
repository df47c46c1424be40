// Package memfs is a complete vfs.FS in memory: an example of the contract, and
// what the tests of the rooms above stand on.
//
// Names are case-insensitive and case-preserving. Two names are the same when
// they are equal after each character was upper-cased by itself, with Unicode's
// simple one-to-one mapping; composition is not looked at. Reading does not
// change the time of access, as if a disk was mounted with noatime.
package memfs

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

const (
	rootID    = 17 // the smallest id that vfs.Attr allows
	maxName   = 255
	maxPath   = 32 << 10
	maxLinks  = 1 << 16
	maxSize   = 16 << 40 // of a file, as on ext4
	blockSize = 4096
)

// FS is a tree of files in memory. It is safe for use by several goroutines.
type FS struct {
	id            uint64 // differs between the FS of a process
	limit         int64
	caseSensitive bool
	label         string
	owner         vfs.Caller
	now           func() time.Time

	mu       sync.RWMutex // guards the whole tree: names, attributes and data
	readOnly bool
	root     *node
	lastID   uint64
	used     int64 // bytes charged to all nodes, at most limit
	nodes    int64
	numbered map[uint32]*entry // by their numbers: what is found by them
}

// Option changes what New makes.
type Option func(*FS)

// Limit bounds the bytes that all files take together; more is KindNoSpace.
func Limit(bytes int64) Option { return func(s *FS) { s.limit = bytes } }

// CaseSensitive makes names that differ in case different.
func CaseSensitive() Option { return func(s *FS) { s.caseSensitive = true } }

// Label names the volume.
func Label(label string) Option { return func(s *FS) { s.label = label } }

// Owner sets the account that the root belongs to and that acts for callers
// without one. Without this option it is 1000:1000.
func Owner(uid, gid uint32) Option {
	return func(s *FS) { s.owner.UID, s.owner.GID = uid, gid }
}

// Clock replaces time.Now.
func Clock(now func() time.Time) Option { return func(s *FS) { s.now = now } }

var lastFS atomic.Uint64

// New returns an FS that holds only its root.
func New(options ...Option) *FS {
	s := &FS{
		id:       lastFS.Add(1),
		limit:    1 << 40,
		label:    "memory",
		owner:    vfs.Caller{HasID: true, UID: 1000, GID: 1000},
		now:      time.Now,
		lastID:   rootID - 1,
		numbered: map[uint32]*entry{},
	}
	for _, o := range options {
		o(s)
	}
	s.root = s.newNode(vfs.TypeDir, &s.owner, 0o755)
	s.root.links = 1
	return s
}

// SetReadOnly says whether every change is refused with KindReadOnly. It is to
// be called before the FS is used by others.
func (s *FS) SetReadOnly(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readOnly = on
}

// Features implements vfs.FS.
func (s *FS) Features() vfs.Features {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return vfs.Features{
		Label:         s.label,
		ID:            [16]byte{'m', 'e', 'm', 'f', 's', 15: byte(s.id)},
		Serial:        uint32(s.id),
		CaseSensitive: s.caseSensitive,
		CasePreserved: true,
		MaxName:       maxName,
		HardLinks:     true,
		Symlinks:      true,
		Sparse:        true,
		Streams:       true,
		Mac:           true,
		ReadOnly:      s.readOnly,
		TimeGrain:     1,
	}
}

// Space implements vfs.FS.
func (s *FS) Space(ctx context.Context, c *vfs.Caller, f vfs.File) (vfs.Space, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if _, err := s.own("space", f); err != nil {
		return vfs.Space{}, err
	}
	free := s.limit - s.used
	return vfs.Space{
		Total:     s.limit,
		Free:      free,
		Available: free,
		BlockSize: blockSize,
		Files:     s.nodes + math.MaxInt32,
	}, nil
}

// own returns f as an open file of this FS. The caller holds s.mu.
func (s *FS) own(op string, f vfs.File) (*file, error) {
	g, ok := f.(*file)
	if !ok || g.fs != s {
		return nil, vfs.NewError(op, f.Path(), vfs.KindCrossDevice, nil)
	}
	if g.closed {
		return nil, vfs.NewError(op, g.entry.path(), vfs.KindClosed, nil)
	}
	return g, nil
}

// changing is own for a call that changes something.
func (s *FS) changing(op string, f vfs.File) (*file, error) {
	g, err := s.own(op, f)
	if err == nil && s.readOnly {
		err = vfs.NewError(op, g.entry.path(), vfs.KindReadOnly, nil)
	}
	return g, err
}
