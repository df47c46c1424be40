package memfs

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// file is an open node.
type file struct {
	fs      *FS
	node    *node
	entry   *entry // the name it was opened by; nil for the root
	granted vfs.Access

	stream *stream // whose bytes it reads and writes; nil for the node's own

	target   *entry // the name that the symbolic link entry led to; nil for the root, and when it is none
	noFollow bool   // symbolic links are shown as such

	closed bool // guarded by fs.mu
}

// open returns a new file. The caller holds s.mu, for reading at least.
func (s *FS) open(n *node, e *entry, granted vfs.Access) *file {
	n.opens.Add(1)
	return &file{fs: s, node: n, entry: e, granted: granted}
}

// reading takes the lock for a call that changes nothing and needs one of the
// rights in any. The caller calls the result when it is done.
func (f *file) reading(op string, any vfs.Access) (done func(), err error) {
	f.fs.mu.RLock()
	if err := f.usable(op, any); err != nil {
		f.fs.mu.RUnlock()
		return nil, err
	}
	return f.fs.mu.RUnlock, nil
}

// changing is reading for a call that changes something.
func (f *file) changing(op string, any vfs.Access) (done func(), err error) {
	f.fs.mu.Lock()
	err = f.usable(op, any)
	if err == nil && f.fs.readOnly {
		err = f.fail(op, vfs.KindReadOnly)
	}
	if err != nil {
		f.fs.mu.Unlock()
		return nil, err
	}
	return f.fs.mu.Unlock, nil
}

func (f *file) usable(op string, any vfs.Access) error {
	if f.closed {
		return f.fail(op, vfs.KindClosed)
	}
	if f.stream != nil && f.stream.gone {
		return f.fail(op, vfs.KindStale)
	}
	if any != 0 && f.granted&any == 0 {
		return f.fail(op, vfs.KindNotGranted)
	}
	return nil
}

// fail returns an error about f. The caller holds fs.mu.
func (f *file) fail(op string, kind vfs.Kind) error {
	return vfs.NewError(op, f.entry.path(), kind, nil)
}

// bytes are what f reads and writes, nil if there are none.
func (f *file) bytes() *data {
	switch {
	case f.stream != nil:
		return &f.stream.data
	case f.node.typ != vfs.TypeFile:
		return nil
	}
	return &f.node.data
}

func (f *file) Key() vfs.Key {
	k := vfs.Key{FS: f.fs.id, Lo: f.node.id}
	if f.stream != nil {
		k.Stream = f.stream.id
	}
	return k
}

func (f *file) Granted() vfs.Access { return f.granted }

func (f *file) Path() string {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.entry.path()
}

func (f *file) Target() (path string, ok bool) {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	if f.entry == nil || f.entry.node == f.node {
		return "", false
	}
	return f.target.path(), true
}

func (f *file) MaxAccess(ctx context.Context, c *vfs.Caller) (vfs.Access, error) {
	done, err := f.reading("access", 0)
	if err != nil {
		return 0, err
	}
	defer done()
	a := f.fs.maxAccess(c, f.node, f.entry)
	if f.fs.readOnly {
		a &^= vfs.Changing
	}
	return a, nil
}

func (f *file) Attr(ctx context.Context) (vfs.Attr, error) {
	done, err := f.reading("stat", 0)
	if err != nil {
		return vfs.Attr{}, err
	}
	defer done()
	a := f.attr(f.node, f.entry)
	if f.stream != nil {
		a.Size, a.Allocated = f.stream.data.size, f.stream.data.charge()
	}
	return a, nil
}

func (f *file) SetAttr(ctx context.Context, c *vfs.Caller, s vfs.SetAttr) error {
	const op = "setattr"
	done, err := f.changing(op, 0)
	if err != nil {
		return err
	}
	defer done()
	n, who := f.node, f.fs.acting(c)
	has := func(a vfs.AttrSet) bool { return s.Set&a != 0 }
	// Only root gives files away; an owner may choose among its groups.
	if has(vfs.SetOwner) && s.UID != n.uid && who.UID != 0 {
		return f.fail(op, vfs.KindAccess)
	}
	if has(vfs.SetGroup) && s.GID != n.gid && who.UID != 0 && (who.UID != n.uid || !inGroup(who, s.GID)) {
		return f.fail(op, vfs.KindAccess)
	}
	n.changed = f.fs.now()
	if has(vfs.SetDOS) {
		n.dos = s.DOS & vfs.DOSStored
	}
	if has(vfs.SetMode) {
		n.mode = s.Mode & 0o7777
	}
	if has(vfs.SetOwner) {
		n.uid = s.UID
	}
	if has(vfs.SetGroup) {
		n.gid = s.GID
	}
	if has(vfs.SetBirth) {
		n.birth = s.Birth
	}
	if has(vfs.SetModified) {
		n.modified = s.Modified
	}
	if has(vfs.SetAccessed) {
		n.accessed = s.Accessed
	}
	if has(vfs.SetChanged) {
		n.changed = s.Changed
	}
	return nil
}

func (f *file) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	const op = "read"
	done, err := f.reading(op, vfs.ReadData|vfs.Execute)
	if err != nil {
		return 0, err
	}
	defer done()
	switch {
	case f.bytes() == nil:
		return 0, f.fail(op, vfs.KindIsDir)
	case off < 0:
		return 0, f.fail(op, vfs.KindInvalid)
	}
	return f.bytes().readAt(p, off)
}

func (f *file) WriteAt(ctx context.Context, p []byte, off int64) (int, error) {
	const op = "write"
	done, err := f.data(op, off+int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer done()
	if off < 0 {
		return 0, f.fail(op, vfs.KindInvalid)
	}
	if len(p) == 0 {
		return 0, nil
	}
	d := f.bytes()
	before := d.charge()
	n := d.writeAt(p, off, f.fs.limit-f.fs.used)
	f.wrote(before)
	if n < len(p) {
		return n, f.fail(op, vfs.KindNoSpace)
	}
	return n, nil
}

func (f *file) Truncate(ctx context.Context, size int64) error {
	done, err := f.data("truncate", size)
	if err != nil {
		return err
	}
	defer done()
	before := f.bytes().charge()
	f.bytes().truncate(size)
	f.wrote(before)
	return nil
}

func (f *file) Allocate(ctx context.Context, size int64) error {
	const op = "allocate"
	done, err := f.data(op, size)
	if err != nil {
		return err
	}
	defer done()
	d := f.bytes()
	before := d.charge()
	want := (size + blockSize - 1) / blockSize * blockSize
	if want-before > f.fs.limit-f.fs.used {
		return f.fail(op, vfs.KindNoSpace)
	}
	d.reserved = max(d.reserved, want)
	f.fs.used += d.charge() - before
	f.node.changed = f.fs.now()
	return nil
}

// data is changing for calls that change the bytes of a file up to end.
func (f *file) data(op string, end int64) (done func(), err error) {
	done, err = f.changing(op, vfs.WriteData|vfs.AppendData)
	if err != nil {
		return nil, err
	}
	switch {
	case f.bytes() == nil:
		err = f.fail(op, vfs.KindIsDir)
	case end < 0:
		err = f.fail(op, vfs.KindInvalid)
	case end > maxSize:
		err = f.fail(op, vfs.KindTooLarge)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// wrote counts what a change of data took or gave back.
func (f *file) wrote(before int64) {
	f.fs.used += f.bytes().charge() - before
	f.node.changed = f.fs.now()
	if f.stream == nil {
		f.node.modified = f.node.changed
	}
}

// Sync has nothing to wait for.
func (f *file) Sync(ctx context.Context) error {
	done, err := f.reading("sync", 0)
	if err != nil {
		return err
	}
	done()
	return nil
}

func (f *file) Close() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.closed {
		return f.fail("close", vfs.KindClosed)
	}
	f.closed = true
	f.node.opens.Add(-1)
	f.fs.free(f.node)
	return nil
}

var (
	_ vfs.FS      = (*FS)(nil)
	_ vfs.MacFile = (*file)(nil)
	_ vfs.Stream  = (*streamFile)(nil)
	_ vfs.Lister  = (*lister)(nil)
)
