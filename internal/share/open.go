package share

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// Open is one use of a file or folder. All methods may be called by several
// goroutines at once. Close may be called while others run; calls after it
// fail with KindClosed.
//
// Every method that needs a right checks that the open was granted it and
// fails with KindNotGranted otherwise.
type Open struct {
	tree      *Tree
	file      vfs.File
	shard     *shard
	row       *row
	granted   vfs.Access
	share     Mode
	holder    Holder
	linked    bool // opened through a symbolic link, which is the name that goes or moves
	onClose   bool // Tree.Open was asked for DeleteOnClose
	temporary bool // and made the file
	since     time.Time
	opened    vfs.Attr // as they were when Tree.Open was done

	kept       atomic.Pointer[time.Time] // the time of modification, when writes are not to change it
	keptChange atomic.Pointer[time.Time] // the time of change, when what is done through the open is not to change it
	unarchived atomic.Bool               // the first write is to set DOSArchive
	unnoted    atomic.Bool               // the first write is to be told to Audit

	// The rest is guarded by shard.mu.
	prev, next    *Open // in row.opens
	link          *link
	closed        bool
	deleteOnClose bool // the name is doomed with this close
	posixDelete   bool // the name goes with this close, not with the last
	ranges        lock.Owner
	closing       chan struct{} // made by Lock when it waits; Close closes it
	oplock        lock.Holder
	broken        time.Time // when its oplock was broken last
	watch         *watch    // of a folder; set once
}

// Tree returns the tree it was opened in.
func (o *Open) Tree() *Tree { return o.tree }

// Path returns where the file is now: the spelling that is stored, after
// renames.
func (o *Open) Path() string { return o.file.Path() }

// place returns where the node itself is: Path, unless that is a symbolic link's.
// Changes of the node are changes there.
func (o *Open) place() string {
	if path, ok := o.file.Target(); ok {
		return path
	}
	return o.file.Path()
}

// Key returns the identity of the node.
func (o *Open) Key() vfs.Key { return o.row.key }

// Granted returns the rights of the open.
func (o *Open) Granted() vfs.Access { return o.granted }

// IsDir reports whether it is a folder.
func (o *Open) IsDir() bool { return o.opened.Type == vfs.TypeDir }

// AttrAtOpen returns the attributes as they were when Tree.Open was done,
// without asking the FS again.
func (o *Open) AttrAtOpen() vfs.Attr {
	a := o.opened
	o.show(&a)
	return a
}

// MaxAccess returns all rights the caller would be granted.
func (o *Open) MaxAccess(ctx context.Context) (vfs.Access, error) {
	a, err := o.file.MaxAccess(ctx, o.tree.caller)
	return a & o.tree.max, err
}

// Space tells the room of the volume, as far as the share shows it.
func (o *Open) Space(ctx context.Context) (vfs.Space, error) {
	s, err := o.tree.share.fs.Space(ctx, o.tree.caller, o.file)
	if most := o.tree.options.MaxSize; most > 0 {
		s.Total, s.Free, s.Available = min(s.Total, most), min(s.Free, most), min(s.Available, most)
	}
	return s, err
}

// List begins an enumeration. It needs ListDir.
func (o *Open) List(ctx context.Context) (vfs.Lister, error) {
	if err := o.need("list", vfs.ListDir); err != nil {
		return nil, err
	}
	l, err := o.file.List(ctx, o.tree.caller)
	if err != nil {
		return nil, err
	}
	return &lister{l, &o.tree.share.times, o.tree.options.filter}, nil
}

// Lookup finds one entry of a folder. It needs ListDir.
func (o *Open) Lookup(ctx context.Context, name string, exact bool) (vfs.Entry, error) {
	if err := o.need("lookup", vfs.ListDir); err != nil {
		return vfs.Entry{}, err
	}
	e, err := o.file.Lookup(ctx, o.tree.caller, name, exact)
	if err != nil {
		return e, err
	}
	o.tree.share.times.show(&e.Attr)
	if f := o.tree.options.filter; f != nil {
		one := []vfs.Entry{e}
		if f.apply(one) == 0 {
			return vfs.Entry{}, vfs.NewError("lookup", name, vfs.KindNotExist, nil)
		}
		e = one[0]
	}
	return e, nil
}

// Flush returns when data and attributes are on the disk. It needs WriteData
// or AppendData, which for a folder are AddFile and AddDir.
func (o *Open) Flush(ctx context.Context) error {
	if err := o.need("flush", vfs.WriteData|vfs.AppendData); err != nil {
		return err
	}
	return o.file.Sync(ctx)
}

// need fails unless one of the rights was granted.
func (o *Open) need(op string, any vfs.Access) error {
	if o.granted&any == 0 {
		return o.fail(op, vfs.KindNotGranted)
	}
	return nil
}

// fail returns an error about o.
func (o *Open) fail(op string, kind vfs.Kind) error {
	return vfs.NewError(op, o.Path(), kind, nil)
}

// call begins a call on o that may wait.
func (o *Open) call(ctx context.Context, op string) call {
	return call{ctx: ctx, op: op, open: o, timeout: o.tree.options.BreakTimeout}
}

// Oplock returns the level that o holds now.
func (o *Open) Oplock() Oplock {
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	return o.oplock.Level()
}

// AcknowledgeBreak answers BreakOplock: o keeps no more than to. It returns
// what o holds from now on. Error: KindInvalid when no break is under way or
// to is more than was asked for.
func (o *Open) AcknowledgeBreak(to Oplock) (Oplock, error) {
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	if o.closed || !o.row.oplocks.Acknowledge(&o.oplock, to) {
		return lock.None, vfs.NewError("oplock break", "", vfs.KindInvalid, nil)
	}
	o.row.guard()
	o.row.wake()
	return o.oplock.Level(), nil
}
