package volume

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// streamFile is an open stream.
type streamFile struct {
	f       *file
	s       *stream
	granted vfs.Access
	closed  atomic.Bool
}

// using takes the lock of the node for a call on the stream that needs one of the
// rights in any. The caller calls the result when it is done.
func (s *streamFile) using(op string, any vfs.Access) (done func(), err error) {
	if s.closed.Load() {
		return nil, s.f.fail(op, vfs.KindClosed)
	}
	if any != 0 && s.granted&any == 0 {
		return nil, s.f.fail(op, vfs.KindNotGranted)
	}
	if err := s.f.node.Hold("stream"); err != nil {
		return nil, err
	}
	unlock := s.f.locked()
	done = func() {
		unlock()
		s.f.node.Drop()
	}
	switch {
	case s.closed.Load():
		err = s.f.fail(op, vfs.KindClosed)
	case s.s.gone:
		err = s.f.fail(op, vfs.KindStale)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// Key implements vfs.File.
func (s *streamFile) Key() vfs.Key {
	k := s.f.key
	k.Stream = s.s.num
	return k
}

// Path implements vfs.File.
func (s *streamFile) Path() string { return s.f.Path() }

// Target implements vfs.File.
func (s *streamFile) Target() (path string, ok bool) { return s.f.Target() }

// Granted implements vfs.File.
func (s *streamFile) Granted() vfs.Access { return s.granted }

// StreamName implements vfs.Stream.
func (s *streamFile) StreamName() string {
	defer s.f.locked()()
	return meta.ShownStream(s.s.name)
}

// MaxAccess implements vfs.File.
func (s *streamFile) MaxAccess(ctx context.Context, c *vfs.Caller) (vfs.Access, error) {
	return s.f.MaxAccess(ctx, c)
}

// Attr implements vfs.File.
func (s *streamFile) Attr(ctx context.Context) (vfs.Attr, error) {
	a, err := s.f.Attr(ctx)
	if err != nil {
		return vfs.Attr{}, err
	}
	done, err := s.using("stat", 0)
	if err != nil {
		return vfs.Attr{}, err
	}
	defer done()
	a.Size, a.Allocated, err = s.s.at.size(s.f)
	return a, err
}

// SetAttr implements vfs.File.
func (s *streamFile) SetAttr(ctx context.Context, c *vfs.Caller, set vfs.SetAttr) error {
	if s.closed.Load() {
		return s.f.fail("setattr", vfs.KindClosed)
	}
	return s.f.SetAttr(ctx, c, set)
}

// ReadAt implements vfs.File.
func (s *streamFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	const op = "read"
	done, err := s.using(op, reads)
	if err != nil {
		return 0, err
	}
	defer done()
	if off < 0 {
		return 0, s.f.fail(op, vfs.KindInvalid)
	}
	if len(p) == 0 {
		return 0, nil
	}
	return s.s.at.readAt(s.f, p, off)
}

// WriteAt implements vfs.File.
func (s *streamFile) WriteAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	const op = "write"
	done, err := s.using(op, writes)
	if err != nil {
		return 0, err
	}
	defer done()
	if off < 0 {
		return 0, s.f.fail(op, vfs.KindInvalid)
	}
	if len(p) == 0 {
		return 0, nil
	}
	defer s.f.changed()
	n, s.s.at, err = s.s.at.writeAt(s.f, p, off)
	return n, err
}

// Truncate implements vfs.File.
func (s *streamFile) Truncate(ctx context.Context, size int64) error {
	const op = "truncate"
	done, err := s.using(op, writes)
	if err != nil {
		return err
	}
	defer done()
	if size < 0 {
		return s.f.fail(op, vfs.KindInvalid)
	}
	defer s.f.changed()
	s.s.at, err = s.s.at.truncate(s.f, size)
	return err
}

// Allocate implements vfs.File. Streams get their room when they are written.
func (s *streamFile) Allocate(ctx context.Context, size int64) error {
	return s.f.fail("allocate", vfs.KindUnsupported)
}

// Sync implements vfs.File.
func (s *streamFile) Sync(ctx context.Context) error {
	done, err := s.using("sync", 0)
	if err != nil {
		return err
	}
	defer done()
	return s.s.at.sync(s.f)
}

// List implements vfs.File.
func (s *streamFile) List(ctx context.Context, c *vfs.Caller) (vfs.Lister, error) {
	return nil, s.f.fail("list", vfs.KindNotDir)
}

// Lookup implements vfs.File.
func (s *streamFile) Lookup(ctx context.Context, c *vfs.Caller, name string, exact bool) (vfs.Entry, error) {
	return vfs.Entry{}, s.f.fail("lookup", vfs.KindNotDir)
}

// Remove implements vfs.Stream.
func (s *streamFile) Remove(ctx context.Context, c *vfs.Caller) error {
	done, err := s.renaming("remove stream", c)
	if err != nil {
		return err
	}
	defer done()
	defer s.f.changed()
	if isFork(s.s.name) {
		return s.f.removeFork(s.s)
	}
	if err := s.f.removeStream(s.s.name); err != nil {
		return err
	}
	s.f.v.streams.goes(s.s.id)
	return nil
}

// removeStream takes away all that is there under a name, the last thing being what
// counts.
func (f *file) removeStream(name string) error {
	attrs, err := f.streamAttrs()
	if err != nil {
		return err
	}
	for _, a := range slices.Backward(sorted(attrs)) {
		if f.v.sameStream(a.Name, name) {
			if err := (inAttr{a}).remove(f); err != nil {
				return err
			}
		}
	}
	item, err := f.v.store.find(f, storedStream, name)
	if err != nil || item == nil {
		return err
	}
	defer item.node.Close()
	return f.v.store.remove(f, item)
}

// Rename implements vfs.Stream. A stop in the middle leaves it under both names.
func (s *streamFile) Rename(ctx context.Context, c *vfs.Caller, to string, replace bool) error {
	const op = "rename stream"
	name, err := s.f.checkStream(op, to)
	if err != nil {
		return err
	}
	done, err := s.renaming(op, c)
	if err != nil {
		return err
	}
	defer done()
	f, st := s.f, s.s
	if isFork(st.name) || isFork(name) {
		return f.fail(op, vfs.KindInvalidName)
	}
	if name == st.name {
		return nil
	}
	id := streamID{f.key, f.v.streamKey(name)}
	if id != st.id {
		other, err := f.findStream(name)
		if err != nil {
			return err
		}
		if other != nil {
			defer f.release(other)
			if !replace {
				return f.fail(op, vfs.KindExist)
			}
			if err := f.removeStream(other.name); err != nil {
				return err
			}
			f.v.streams.goes(other.id)
		}
	}
	defer f.changed()
	switch at := st.at.(type) {
	case inStore:
		if err := at.rename(name); err != nil {
			return err
		}
	case inAttr:
		b, err := at.value(f)
		if err != nil {
			return err
		}
		next, err := f.putStream(name, b, nil)
		if err != nil {
			return err
		}
		if now, same := next.(inAttr); !same || now.Attr != at.Attr {
			if err := at.remove(f); err != nil {
				return err
			}
		}
		st.at = next
	}
	st.name = name
	f.v.streams.renamed(st, id)
	return nil
}

// renaming is using for a call that changes which streams there are.
func (s *streamFile) renaming(op string, c *vfs.Caller) (done func(), err error) {
	if s.f.v.isReadOnly() {
		return nil, s.f.fail(op, vfs.KindReadOnly)
	}
	done, err = s.using(op, 0)
	if err != nil {
		return nil, err
	}
	if err := s.f.mayChange(op, c); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// Close implements vfs.File.
func (s *streamFile) Close() error {
	if s.closed.Swap(true) {
		return s.f.fail("close", vfs.KindClosed)
	}
	defer s.f.locked()()
	s.f.release(s.s)
	return nil
}

var (
	_ vfs.MacFile = (*file)(nil)
	_ vfs.Stream  = (*streamFile)(nil)
)
