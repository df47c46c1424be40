package volume

import (
	"context"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// file is an open node. Its descriptor counts the calls in flight, so closing
// it is what closes the file.
type file struct {
	v     *Volume
	node  *disk.Node
	place *names.Place // where the node is; released with the descriptor
	typ   vfs.Type
	dev   uint64
	identity
	bucket  uint8
	granted vfs.Access

	name     *names.Place // what it was opened by: place, or that of link
	link     *disk.Node   // the symbolic link that led to node; nil if none did
	noFollow bool         // symbolic links are shown as such

	mu    sync.Mutex
	first firstLook
	known knownMeta
}

// Key implements vfs.File.
func (f *file) Key() vfs.Key { return f.key }

// Path implements vfs.File, in the spelling that listings show.
func (f *file) Path() string { return names.ShownPath(f.name.Path()) }

// Granted implements vfs.File.
func (f *file) Granted() vfs.Access { return f.granted }

// fail returns an error about f.
func (f *file) fail(op string, kind vfs.Kind) error { return vfs.NewError(op, f.Path(), kind, nil) }

// data checks that a call that needs one of the rights in any and moves or sets
// data up to end makes sense.
func (f *file) data(op string, any vfs.Access, end int64) error {
	switch {
	case f.typ == vfs.TypeDir:
		return f.fail(op, vfs.KindIsDir)
	case f.granted&any == 0:
		return f.fail(op, vfs.KindNotGranted)
	case end < 0:
		return f.fail(op, vfs.KindInvalid)
	}
	return nil
}

// ReadAt implements vfs.File.
func (f *file) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := f.data("read", reads, off); err != nil {
		return 0, err
	}
	return f.node.ReadAt(p, off)
}

// WriteAt implements vfs.File.
func (f *file) WriteAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := f.data("write", writes, off); err != nil {
		return 0, err
	}
	defer f.changed()
	return f.node.WriteAt(p, off)
}

// Truncate implements vfs.File.
func (f *file) Truncate(ctx context.Context, size int64) error {
	if err := f.data("truncate", writes, size); err != nil {
		return err
	}
	defer f.changed()
	return f.node.Truncate(size)
}

// Allocate implements vfs.File.
func (f *file) Allocate(ctx context.Context, size int64) error {
	if err := f.data("allocate", writes, size); err != nil || size == 0 {
		return err
	}
	defer f.changed()
	return f.node.Allocate(0, size)
}

// Sync implements vfs.File.
func (f *file) Sync(ctx context.Context) error {
	if f.node.Flags().Has(disk.PathOnly) {
		return f.open() // nothing was written by it
	}
	return f.node.Sync()
}

// MaxAccess implements vfs.File.
func (f *file) MaxAccess(ctx context.Context, c *vfs.Caller) (vfs.Access, error) {
	a := f.v.account(c)
	st, err := f.node.Stat()
	if err != nil {
		return 0, err
	}
	may := f.v.rights(a, f.node, &st)
	if f.v.mayUnlink(ctx, a, f, &st) {
		may |= vfs.Delete
	}
	return may, nil
}

// Close implements vfs.File.
func (f *file) Close() error { return f.node.Close() }

// own returns f as a file of v that stays open until it is let go with
// node.Drop.
func (v *Volume) own(op string, f vfs.File) (*file, error) {
	g, ok := f.(*file)
	if !ok || g.v != v {
		return nil, vfs.NewError(op, f.Path(), vfs.KindCrossDevice, nil)
	}
	return g, g.node.Hold(disk.Op(op))
}
