// Package volume is the vfs.FS on a real folder. It keeps three things in step:
// names finds and makes them, meta holds what Unix doesn't know of a file, disk
// does the work. docs/request.md follows a request through here.
//
// Whoever a call is made for acts with the ids of an account: their own, or
// that of the folder's owner where they have none. A process that is not root
// acts as itself, whoever calls.
package volume

import (
	"cmp"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// Options say how a folder is served. The zero Options are Samba's defaults.
type Options struct {
	// Names has the budget for all that is remembered, also for listing a
	// folder again quickly.
	Names names.Options
	Label string // of the volume

	Modes

	// Real says that the path has no symbolic links, and must have none when it is
	// opened.
	Real bool

	// Faults makes the disk fail, in tests.
	Faults disk.Faults
}

// Modes say what permissions and which owner something new has.
type Modes struct {
	// CreateMask and DirectoryMask are the permission bits that a new file
	// and a new folder may have; 0 means 0744 and 0755. ForceCreateMode and
	// ForceDirectoryMode are bits that they have in any case. They count
	// where a client gives no mode of its own.
	CreateMask, DirectoryMask           uint32
	ForceCreateMode, ForceDirectoryMode uint32

	// InheritPermissions gives what is new the permission bits of the folder
	// it is in instead. A new folder keeps the folder's set-group-id bit with
	// or without it.
	InheritPermissions bool

	// InheritOwner makes what is new belong to the owner of the folder it is
	// in. The process must be root.
	InheritOwner bool
}

const (
	defaultCreateMask    = 0o744
	defaultDirectoryMask = 0o755
	maxName              = 255
)

// Volume is a folder served as a vfs.FS.
type Volume struct {
	options  Options
	root     *disk.Node // closed with tree
	tree     *names.Tree
	features vfs.Features // but for ReadOnly
	modes    atomic.Pointer[Modes]
	owner    *account    // of the root folder
	self     *account    // who acts in a process that is not root; nil if it is
	readOnly atomic.Bool // the disk is
	mounted  atomic.Bool // something was since readOnly was asked
	accounts sync.Map    // accountKey -> *account
	systems  systems
	changes  changes
	memory   memory
	streams  streams
	store    store
	macless  macless

	// metaLocks are held over reading, changing and writing what is stored
	// about a node, its streams among it, each for those nodes that fall to it.
	// Below them nothing waits but the disk, and only names, for what stands
	// beside a node, and lists in memory lock.
	metaLocks [64]sync.Mutex
}

// Open serves the folder at path.
func Open(path string, o Options) (*Volume, error) {
	if o.Names.Budget == nil {
		o.Names.Budget = budget.New(0)
	}
	if abs, err := filepath.Abs(path); err == nil {
		o.Names.Path = abs
	}
	open := disk.OpenRootWith
	if o.Real {
		open = disk.OpenRealRoot
	}
	root, err := open(path, o.Faults)
	if err != nil {
		return nil, err
	}
	v := &Volume{options: o, root: root}
	v.SetModes(o.Modes)
	if err := v.describe(); err != nil {
		root.Close()
		return nil, err
	}
	o.Names.Mounted = v.mountsChanged
	o.Names.Beside = meta.IsFork
	if v.tree, err = names.New(root, o.Names); err != nil {
		return nil, err
	}
	v.memory.open(o.Names.Budget)
	v.store.open(v)
	return v, nil
}

// SetModes replaces those of Options for what is made from now on.
func (v *Volume) SetModes(m Modes) {
	m.CreateMask = cmp.Or(m.CreateMask, defaultCreateMask)
	m.DirectoryMask = cmp.Or(m.DirectoryMask, defaultDirectoryMask)
	v.modes.Store(&m)
}

// Close ends the service. Files and listers must be closed before.
func (v *Volume) Close() error {
	v.store.close()
	v.memory.close()
	return v.tree.Close()
}

// mountsChanged is called when something was mounted or unmounted: what a device
// number stands for, and whether the disk may be written to, may be different.
func (v *Volume) mountsChanged() {
	v.systems.forget()
	v.mounted.Store(true)
}

// isReadOnly reports whether the disk is.
func (v *Volume) isReadOnly() bool {
	if v.mounted.Swap(false) {
		if space, err := v.root.Space(); err == nil {
			v.readOnly.Store(space.ReadOnly)
		}
	}
	return v.readOnly.Load()
}

// Names returns the names of the volume, for those who tell about them.
func (v *Volume) Names() *names.Tree { return v.tree }

// describe finds out what does not change while the folder is served.
func (v *Volume) describe() error {
	st, err := v.root.Stat()
	if err != nil {
		return err
	}
	v.describeAccounts(st.UID, st.GID)
	system, err := v.systems.of(v.root, st.Dev)
	if err != nil {
		return err
	}
	space, err := v.root.Space()
	if err != nil {
		return err
	}
	v.features = vfs.Features{
		Label:         v.options.Label,
		ID:            system.id,
		Serial:        serialOf(system.id),
		CaseSensitive: v.options.Names.Sensitive,
		Normalized:    !v.options.Names.NoNormalization,
		CasePreserved: !v.options.Names.ChangeCase,
		MaxName:       min(maxName, space.NameMax),
		HardLinks:     true,
		Symlinks:      true,
		Sparse:        true,
		Streams:       true,
		Mac:           true,
		TimeGrain:     100, // what a stored time of birth has
	}
	v.readOnly.Store(space.ReadOnly)
	return nil
}

// Features implements vfs.FS.
func (v *Volume) Features() vfs.Features {
	f := v.features
	f.ReadOnly = v.isReadOnly()
	return f
}

var (
	_ vfs.FS     = (*Volume)(nil)
	_ vfs.File   = (*file)(nil)
	_ vfs.Lister = (*lister)(nil)
)
