package dozo

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/mount"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/volume"
	"github.com/dozo-server/dozo/vfs"
)

// mounted is a share whose tree of files may come and go: that of a folder is
// there only while its file system is mounted.
type mounted struct {
	common  common
	log     *slog.Logger
	folder  string                      // without symbolic links; "" where there is none
	after   []<-chan struct{}           // closed when those that served the folder before are gone
	options atomic.Pointer[Share]       // replaced by change, but for what same compares
	place   atomic.Pointer[mount.Place] // where tree is, the zero Place without; replaced under mu

	looking  looking
	expiring atomic.Bool // by expire

	mu      sync.Mutex
	ended   bool         // by end: there is nothing to be served any more
	share   *share.Share // nil until it was served
	tree    tree
	refused error     // why it is not served now, nil when it is
	retired []retired // trees of file systems that went away
}

// tree is a tree of files that must be closed.
type tree interface {
	vfs.FS
	Names() *names.Tree
	SetModes(volume.Modes)
	Close() error
}

// retired is a tree that clients may still have files open in.
type retired struct {
	share *share.Share
	tree  tree
}

// mount makes a share ready to be served. A folder whose file system is absent
// is no error: it is served as soon as that is there.
func (o *Share) mount(c common, log *slog.Logger) (*mounted, error) {
	m := &mounted{common: c, log: log}
	m.options.Store(o)
	m.place.Store(&mount.Place{})
	if o.FS != nil {
		m.share = share.New(o.FS, m.shareOptions())
		return m, nil
	}
	var err error
	if m.folder = o.real; m.folder == "" {
		if m.folder, err = mount.RealPath(o.Path); err != nil {
			return nil, fmt.Errorf("the share %s: %w", o.Name, err)
		}
	}
	_, err = m.current()
	if _, absent := errors.AsType[*mount.AbsentError](err); err != nil && !absent {
		return nil, fmt.Errorf("the share %s: %w", o.Name, err)
	}
	return m, nil
}

// current returns the share if it can be served at this moment, and why not if
// it can't. It is asked at each connection to a share, so a file system that
// was mounted meanwhile is found then.
func (m *mounted) current() (*share.Share, error) {
	for _, gone := range m.after {
		<-gone
	}
	if m.options.Load().FS != nil {
		return m.share, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return nil, errEnded
	}
	m.closeRetired()
	o := m.options.Load()
	// Without a file system to begin with, any will do, and no other after it.
	was := m.place.Load()
	path, look := o.Path, mount.Look
	if o.real != "" {
		path, look = o.real, mount.LookReal
	}
	place, err := look(path, cmp.Or(o.FileSystem, was.FileSystem))
	if err != nil {
		if m.refused == nil {
			m.log.Error("a share is not served", "share", o.Name, "reason", err)
		}
		m.refused = err
		return nil, err
	}
	if m.share != nil && place == *was {
		m.refused = nil
		return m.share, nil
	}
	t, err := o.openFolder(m.common, m.log)
	if err != nil {
		m.refused = err
		return nil, err
	}
	if m.share != nil {
		m.retired = append(m.retired, retired{m.share, m.tree})
	}
	if m.refused != nil {
		m.log.Info("a share is served again", "share", o.Name, "file system", place.FileSystem)
	}
	m.share, m.tree, m.refused = share.New(t, m.shareOptions()), t, nil
	m.place.Store(&place)
	return m.share, nil
}

// overlaps reports whether m and o serve the same files: their folders are one,
// or one is in the other. No disk is asked.
func (m *mounted) overlaps(o *mounted) bool {
	if m.folder == "" || o.folder == "" {
		return false
	}
	place := *m.place.Load()
	return mount.Overlap(m.folder, o.folder) || place != mount.Place{} && place == *o.place.Load()
}

// shareOptions are those of now, with a line of the log for what a bin could not
// take.
func (m *mounted) shareOptions() share.Options {
	o := m.options.Load()
	options := o.shareOptions()
	options.Audit = m.common.audit
	options.BinFailed = func(path string, gone bool, why error) {
		words := "a file could not be deleted, because its user may not put it into the folder for what is deleted; let that be of the mode 0755, and the user's folder in it the user's own, or move it away"
		if gone {
			words = "a deleted file could not be kept, and is gone"
		}
		m.log.Warn(words, "share", o.Name, "path", path, "folder", o.Recycle, "reason", why)
	}
	return options
}

// closeRetired closes the retired trees that no client has files open in. m.mu
// is held.
func (m *mounted) closeRetired() {
	var left []retired
	for _, r := range m.retired {
		if r.share.Opens() > 0 {
			left = append(left, r)
			continue
		}
		r.tree.Close()
	}
	m.retired = left
}

// errEnded is why a share is not served that SetShares took away.
var errEnded = errors.New("the share was taken away")

// change gives what is served the options of now, and returns it. It is called
// after each change of m.options.
func (m *mounted) change() []*share.Share {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.options.Load()
	if m.tree != nil {
		m.tree.SetModes(o.modes())
	}
	all := m.all()
	for _, s := range all {
		s.SetOptions(m.shareOptions())
	}
	return all
}

// end refuses whoever wants to use the share from now on, and returns what was
// served.
func (m *mounted) end() []*share.Share {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	all := m.all()
	for _, s := range all {
		s.End()
	}
	return all
}

// all returns what clients may be connected to. m.mu is held.
func (m *mounted) all() []*share.Share {
	var all []*share.Share
	if m.share != nil {
		all = append(all, m.share)
	}
	for _, r := range m.retired {
		all = append(all, r.share)
	}
	return all
}

// close frees what the share holds. Nobody uses it by then.
func (m *mounted) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.retired {
		r.tree.Close()
	}
	if m.tree != nil {
		m.tree.Close()
	}
	m.retired, m.tree = nil, nil
}
