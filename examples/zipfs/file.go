package zipfs

import (
	"context"
	"io"
	"sync"

	"github.com/dozo-server/dozo/vfs"
)

// file is an open file or folder.
type file struct {
	fs       *FS
	node     *node
	granted  vfs.Access
	unpacker unpacker // of a file

	mu     sync.RWMutex // read-locked by calls, which Close waits for
	closed bool
}

// use begins a call that needs one of the rights in any; the caller calls done at
// its end.
func (f *file) use(op string, any vfs.Access) (done func(), err error) {
	f.mu.RLock()
	switch {
	case f.closed:
		err = f.fail(op, vfs.KindClosed, nil)
	case any != 0 && f.granted&any == 0:
		err = f.fail(op, vfs.KindNotGranted, nil)
	default:
		return f.mu.RUnlock, nil
	}
	f.mu.RUnlock()
	return nil, err
}

func (f *file) fail(op string, kind vfs.Kind, cause error) error {
	return vfs.NewError(op, f.node.path(), kind, cause)
}

func (f *file) Key() vfs.Key           { return vfs.Key{FS: f.fs.number, Lo: f.node.id} }
func (f *file) Path() string           { return f.node.path() }
func (f *file) Target() (string, bool) { return "", false }
func (f *file) Granted() vfs.Access    { return f.granted }

func (f *file) MaxAccess(ctx context.Context, c *vfs.Caller) (vfs.Access, error) { return rights, nil }

func (f *file) Attr(ctx context.Context) (vfs.Attr, error) {
	done, err := f.use("stat", 0)
	if err != nil {
		return vfs.Attr{}, err
	}
	defer done()
	return f.node.attr(), nil
}

func (f *file) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	const op = "read"
	done, err := f.use(op, vfs.ReadData|vfs.Execute)
	if err != nil {
		return 0, err
	}
	defer done()
	switch {
	case f.node.entry == nil:
		return 0, f.fail(op, vfs.KindIsDir, nil)
	case off < 0:
		return 0, f.fail(op, vfs.KindInvalid, nil)
	}
	n, err := f.unpacker.readAt(ctx, p, off)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case ctx.Err() != nil:
		return n, f.fail(op, vfs.KindCanceled, err)
	}
	return n, f.fail(op, vfs.KindIO, err) // the archive is damaged, or its disk is
}

func (f *file) List(ctx context.Context, c *vfs.Caller) (vfs.Lister, error) {
	const op = "list"
	done, err := f.use(op, vfs.ListDir)
	if err != nil {
		return nil, err
	}
	defer done()
	if f.node.exact == nil {
		return nil, f.fail(op, vfs.KindNotDir, nil)
	}
	return &lister{rest: f.node.list}, nil
}

func (f *file) Lookup(ctx context.Context, c *vfs.Caller, name string, exact bool) (vfs.Entry, error) {
	const op = "lookup"
	done, err := f.use(op, 0)
	if err != nil {
		return vfs.Entry{}, err
	}
	defer done()
	if f.node.exact == nil {
		return vfs.Entry{}, f.fail(op, vfs.KindNotDir, nil)
	}
	n := f.node.find(name, exact)
	if n == nil {
		return vfs.Entry{}, f.fail(op, vfs.KindNotExist, nil)
	}
	return vfs.Entry{Name: n.name, Attr: n.attr()}, nil
}

// Sync has nothing to wait for.
func (f *file) Sync(ctx context.Context) error {
	done, err := f.use("sync", 0)
	if err == nil {
		done()
	}
	return err
}

func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return f.fail("close", vfs.KindClosed, nil)
	}
	f.closed = true
	f.unpacker.rewind()
	return nil
}

// What changes a file is refused.

func (f *file) SetAttr(ctx context.Context, c *vfs.Caller, s vfs.SetAttr) error {
	return f.fail("setattr", vfs.KindReadOnly, nil)
}

func (f *file) WriteAt(ctx context.Context, p []byte, off int64) (int, error) {
	return 0, f.fail("write", vfs.KindReadOnly, nil)
}

func (f *file) Truncate(ctx context.Context, size int64) error {
	return f.fail("truncate", vfs.KindReadOnly, nil)
}

func (f *file) Allocate(ctx context.Context, size int64) error {
	return f.fail("allocate", vfs.KindReadOnly, nil)
}

// lister goes through a folder, which never changes.
type lister struct{ rest []*node }

func (l *lister) Next(ctx context.Context, entries []vfs.Entry, names bool) (int, error) {
	if len(l.rest) == 0 && len(entries) > 0 {
		return 0, io.EOF
	}
	n := min(len(entries), len(l.rest))
	for i, e := range l.rest[:n] {
		entries[i] = vfs.Entry{Name: e.name, Attr: e.attr()} // more than names asks for, and cheap
	}
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lister) Close() error { return nil }

var (
	_ vfs.FS     = (*FS)(nil)
	_ vfs.File   = (*file)(nil)
	_ vfs.Lister = (*lister)(nil)
)
