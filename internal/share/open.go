package share

import (
	"context"

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
	tree   *Tree
	file   vfs.File
	opened vfs.Attr
}

// Tree returns the tree it was opened in.
func (o *Open) Tree() *Tree { return o.tree }

// Path returns where the file is now: the spelling that is stored, after
// renames.
func (o *Open) Path() string { return o.file.Path() }

// Key returns the identity of the node.
func (o *Open) Key() vfs.Key { return o.file.Key() }

// Granted returns the rights of the open.
func (o *Open) Granted() vfs.Access { return 0 }

// IsDir reports whether it is a folder.
func (o *Open) IsDir() bool { return o.opened.Type == vfs.TypeDir }

// AttrAtOpen returns the attributes as they were when Tree.Open was done,
// without asking the FS again.
func (o *Open) AttrAtOpen() vfs.Attr { return o.opened }

// MaxAccess returns all rights the caller would be granted.
func (o *Open) MaxAccess(ctx context.Context) (vfs.Access, error) { return 0, errNotYet }

// Attr returns the attributes as they are now. It asks for no right: protocols
// differ in what they let whom see.
func (o *Open) Attr(ctx context.Context) (vfs.Attr, error) { return vfs.Attr{}, errNotYet }

// SetAttr changes attributes. It needs WriteAttr; mode WriteControl or
// WriteAttr, owner and group WriteOwner or WriteAttr. Times that it sets are
// not changed by later writes through o ([MS-FSA] 2.1.5.14.2), until Thaw.
func (o *Open) SetAttr(ctx context.Context, s vfs.SetAttr) error { return errNotYet }

// Freeze keeps later uses of o from changing the given times; to SMB it is the
// time -1. It needs WriteAttr.
func (o *Open) Freeze(ctx context.Context, times vfs.AttrSet) error { return errNotYet }

// Thaw ends what Freeze or SetAttr did to the given times; to SMB it is the
// time -2. It needs WriteAttr.
func (o *Open) Thaw(times vfs.AttrSet) error { return errNotYet }

// ReadAt is vfs.File.ReadAt. It needs ReadData or Execute. Error: KindLocked.
func (o *Open) ReadAt(ctx context.Context, p []byte, off int64) (int, error) { return 0, errNotYet }

// WriteAt is vfs.File.WriteAt. It needs WriteData, or AppendData. Error:
// KindLocked.
func (o *Open) WriteAt(ctx context.Context, p []byte, off int64) (int, error) { return 0, errNotYet }

// Truncate sets the size. It needs WriteData. Error: KindLocked when a byte
// that is cut off or added is locked by another.
func (o *Open) Truncate(ctx context.Context, size int64) error { return errNotYet }

// Allocate reserves room for size bytes, and cuts the file when it is longer
// ([MS-FSA] 2.1.5.14.1). It needs WriteData.
func (o *Open) Allocate(ctx context.Context, size int64) error { return errNotYet }

// Flush returns when data and attributes are on the disk. It needs WriteData
// or AppendData.
func (o *Open) Flush(ctx context.Context) error { return errNotYet }

// List begins an enumeration. It needs ListDir.
func (o *Open) List(ctx context.Context) (vfs.Lister, error) { return nil, errNotYet }

// Lookup finds one entry of a folder. It needs ListDir.
func (o *Open) Lookup(ctx context.Context, name string, exact bool) (vfs.Entry, error) {
	return vfs.Entry{}, errNotYet
}

// Rename moves o to the path to. It needs Delete. Errors: KindSharing when
// another open does not share deleting, KindAccess when the target is open, is
// a folder or read-only, or when something below a folder is open, KindExist
// without replace.
func (o *Open) Rename(ctx context.Context, to string, replace bool) error { return errNotYet }

// Link gives the file the further name to. Errors as for Rename.
func (o *Open) Link(ctx context.Context, to string, replace bool) error { return errNotYet }

// SetDelete says whether the file goes with its last close. It needs Delete.
// With posix its name goes with o.Close, even if others have it open, which
// keep it. Errors: KindNotEmpty, KindCannotDelete for what is read-only or
// the root.
func (o *Open) SetDelete(ctx context.Context, on, posix bool) error { return errNotYet }

// DeletePending reports whether the file goes with its last close.
func (o *Open) DeletePending() bool { return false }

// Lock locks all ranges or none. With wait it waits, for one range only, until
// it is free. Errors: KindLocked when it is not free (without wait),
// KindCanceled, KindRangeNotHeld when the open was closed meanwhile.
func (o *Open) Lock(ctx context.Context, ranges []Range, wait bool) error { return errNotYet }

// Unlock unlocks the ranges one by one; the first that is not held, with just
// this offset and length, ends it with KindRangeNotHeld.
func (o *Open) Unlock(ranges []Range) error { return errNotYet }

// Oplock returns the level that o holds now.
func (o *Open) Oplock() Oplock { return lock.None }

// AcknowledgeBreak answers BreakOplock: o keeps no more than to. It returns
// what o holds from now on. Error: KindInvalid when no break is under way or
// to is more than was asked for.
func (o *Open) AcknowledgeBreak(to Oplock) (Oplock, error) { return lock.None, errNotYet }

// Space tells the room of the volume.
func (o *Open) Space(ctx context.Context) (vfs.Space, error) { return vfs.Space{}, errNotYet }

// Close ends the use: byte ranges are unlocked, the oplock is given back, and
// if it was the last one of a file that was to be deleted, the file goes. The
// error tells what failed of that; the open is closed in any case. A second
// Close is KindClosed.
func (o *Open) Close(ctx context.Context) error { return errNotYet }

var errNotYet = vfs.NewError("", "", vfs.KindUnsupported, nil)
