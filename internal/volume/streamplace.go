package volume

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// streamPlace is where the bytes of a stream are. Its methods are called with the lock of
// the node, and with an open file of it.
type streamPlace interface {
	size(f *file) (size, allocated int64, err error)
	readAt(f *file, p []byte, off int64) (int, error)

	// writeAt and truncate return where the bytes are from then on, which is
	// another place when the first has no room for them.
	writeAt(f *file, p []byte, off int64) (int, streamPlace, error)
	truncate(f *file, size int64) (streamPlace, error)

	sync(f *file) error
	remove(f *file) error
	close()
}

// inAttr is a stream in an extended attribute.
type inAttr struct{ meta.StreamAttr }

var values = sync.Pool{New: func() any { return new([meta.MaxAttr]byte) }}

// withValue lets do see the value of an attribute of f.
func (f *file) withValue(attr string, do func(value []byte)) error {
	buf := values.Get().(*[meta.MaxAttr]byte)
	defer values.Put(buf)
	value, err := f.node.GetXattr(attr, buf[:])
	if err == nil {
		do(value)
	}
	return err
}

// value returns the bytes of the stream. One that a local program took away is
// gone.
func (a inAttr) value(f *file) (b []byte, err error) {
	err = f.withValue(a.Attr, func(value []byte) { b = append(b, a.Value(value)...) })
	if vfs.IsKind(err, vfs.KindNoAttr) {
		err = f.fail("read stream", vfs.KindStale)
	}
	return b, err
}

func (a inAttr) size(f *file) (size, allocated int64, err error) {
	b, err := a.value(f)
	return int64(len(b)), int64(len(b)), err
}

func (a inAttr) readAt(f *file, p []byte, off int64) (int, error) {
	b, err := a.value(f)
	if err != nil {
		return 0, err
	}
	n := copy(p, b[min(off, int64(len(b))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (a inAttr) writeAt(f *file, p []byte, off int64) (int, streamPlace, error) {
	b, err := a.value(f)
	if err != nil {
		return 0, a, err
	}
	if off > meta.MaxValue || int(off)+len(p) > meta.MaxValue {
		item, err := f.moveToStore(a, b)
		if err != nil {
			return 0, a, err
		}
		return item.writeAt(f, p, off)
	}
	end := int(off) + len(p)
	b = append(b, make([]byte, max(0, end-len(b)))...)
	copy(b[off:], p)
	at, err := f.putStream(a.Name, b, &a)
	if err != nil {
		return 0, a, err
	}
	return len(p), at, nil
}

func (a inAttr) truncate(f *file, size int64) (streamPlace, error) {
	b, err := a.value(f)
	if err != nil {
		return a, err
	}
	if size > meta.MaxValue {
		item, err := f.moveToStore(a, b)
		if err != nil {
			return a, err
		}
		return item.truncate(f, size)
	}
	kept := b[:min(size, int64(len(b)))]
	at, err := f.putStream(a.Name, append(kept[:len(kept):len(kept)], make([]byte, int(size)-len(kept))...), &a)
	if err != nil {
		return a, err
	}
	return at, nil
}

func (a inAttr) sync(f *file) error { return f.syncNode() }

func (a inAttr) remove(f *file) error {
	err := f.node.RemoveXattr(nil, a.Attr)
	if vfs.IsKind(err, vfs.KindNoAttr) {
		return nil
	}
	return err
}

func (a inAttr) close() {}

// putStream stores all of a stream of f: in the attribute at, nil for a new one, or
// where the disk refuses that in the store. What was there before stays until
// then.
func (f *file) putStream(name string, b []byte, at *inAttr) (streamPlace, error) {
	attr, ok := meta.NewStreamAttr(name)
	if at != nil {
		attr, ok = at.StreamAttr, true
	}
	if ok && len(b) <= meta.MaxValue {
		err := f.node.SetXattr(nil, attr.Attr, attr.Pack(nil, b))
		if err == nil {
			return inAttr{attr}, nil
		}
		if !refused(err) {
			return nil, err
		}
	}
	if at != nil {
		return f.moveToStore(*at, b)
	}
	item, err := f.v.store.put(f, storedStream, name, b, nil)
	if err != nil {
		return nil, err
	}
	return inStore{item}, nil
}

// moveToStore stores b in place of what is in the attribute at.
func (f *file) moveToStore(at inAttr, b []byte) (streamPlace, error) {
	item, err := f.v.store.put(f, storedStream, at.Name, b, nil)
	if err != nil {
		return at, err
	}
	// The store counts: if this fails the attribute is only of no use.
	at.remove(f)
	return inStore{item}, nil
}

// refused reports whether err means that an attribute can't be kept, though it may
// be elsewhere: no room for attributes looks like no room at all.
func refused(err error) bool {
	switch vfs.KindOf(err) {
	case vfs.KindNoSpace, vfs.KindTooLarge, vfs.KindUnsupported, vfs.KindNameTooLong:
		return true
	}
	return false
}

// inStore is a stream in the store.
type inStore struct{ *stored }

func (s inStore) size(f *file) (size, allocated int64, err error) { return s.stored.size() }

func (s inStore) readAt(f *file, p []byte, off int64) (int, error) { return s.stored.readAt(p, off) }

func (s inStore) writeAt(f *file, p []byte, off int64) (int, streamPlace, error) {
	if off > math.MaxInt64-storedData-int64(len(p)) {
		return 0, s, f.fail("write", vfs.KindTooLarge)
	}
	n, err := s.node.WriteAt(p, storedData+off)
	return n, s, err
}

func (s inStore) truncate(f *file, size int64) (streamPlace, error) {
	if size > math.MaxInt64-storedData {
		return s, f.fail("truncate", vfs.KindTooLarge)
	}
	return s, s.node.Truncate(storedData + size)
}

func (s inStore) sync(f *file) error   { return s.node.Sync() }
func (s inStore) remove(f *file) error { return f.v.store.remove(f, s.stored) }
func (s inStore) close()               { s.node.Close() }

// inFork is a resource fork in the AppleDouble file beside f.
type inFork struct{ n *disk.Node }

func (k inFork) fork() (*meta.Fork, error) { return meta.OpenFork(k.n) }

func (k inFork) size(f *file) (size, allocated int64, err error) {
	fork, err := k.fork()
	if err != nil {
		return 0, 0, err
	}
	return fork.Size(), fork.Size(), nil
}

func (k inFork) readAt(f *file, p []byte, off int64) (int, error) {
	fork, err := k.fork()
	if err != nil {
		return 0, err
	}
	return fork.ReadAt(p, off)
}

func (k inFork) writeAt(f *file, p []byte, off int64) (int, streamPlace, error) {
	fork, err := k.fork()
	if err != nil {
		return 0, k, err
	}
	n, err := fork.WriteAt(p, off)
	return n, k, err
}

func (k inFork) truncate(f *file, size int64) (streamPlace, error) {
	fork, err := k.fork()
	if err != nil {
		return k, err
	}
	return k, fork.Truncate(size)
}

func (k inFork) sync(f *file) error { return k.n.Sync() }

func (k inFork) remove(f *file) error {
	fork, err := k.fork()
	if err != nil {
		return err
	}
	// Emptied first: the file may have another name, beside another name of f.
	if err := fork.Truncate(0); err != nil || !fork.Bare() {
		return err
	}
	return f.v.tree.RemoveBeside(context.Background(), f.place)
}

func (k inFork) close() { k.n.Close() }

// noFork is a resource fork that nobody wrote to yet.
type noFork struct{}

func (noFork) size(f *file) (size, allocated int64, err error)  { return 0, 0, nil }
func (noFork) readAt(f *file, p []byte, off int64) (int, error) { return 0, io.EOF }
func (noFork) sync(f *file) error                               { return nil }
func (noFork) remove(f *file) error                             { return nil }
func (noFork) close()                                           {}

func (none noFork) writeAt(f *file, p []byte, off int64) (int, streamPlace, error) {
	at, err := f.makeFork()
	if err != nil {
		return 0, none, err
	}
	return at.writeAt(f, p, off)
}

func (none noFork) truncate(f *file, size int64) (streamPlace, error) {
	if size == 0 {
		return none, nil
	}
	at, err := f.makeFork()
	if err != nil {
		return none, err
	}
	return at.truncate(f, size)
}

// makeFork makes an empty resource fork: beside f, or in the store if f has several
// names, of which that would be beside one, or can't have anything beside it.
func (f *file) makeFork() (streamPlace, error) {
	st, err := f.node.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.Links == 0:
		return nil, f.fail("create fork", vfs.KindStale)
	case st.Links > 1:
		return f.putStream(vfs.ResourceFork, nil, nil)
	}
	fill := func(n *disk.Node) error {
		if err := f.v.store.give(st.UID, st.GID)(n); err != nil {
			return err
		}
		_, err := meta.MakeFork(n)
		return err
	}
	n, err := f.v.tree.MakeBeside(context.Background(), f.place, f.node, st.Mode&0o666, fill)
	switch vfs.KindOf(err) {
	case vfs.KindExist:
		// Nothing to lose in an empty file, which a stop may have left.
		n, err := f.v.tree.OpenBeside(context.Background(), f.place, disk.Read|disk.Write)
		if err == nil {
			if there, statErr := n.Stat(); statErr == nil && meta.Belongs(there, st) && there.Size == 0 && fill(n) == nil {
				return inFork{n}, nil
			}
			n.Close()
		}
		fallthrough
	case vfs.KindNameTooLong, vfs.KindInvalidName, vfs.KindAccess:
		item, err := f.v.store.put(f, storedStream, vfs.ResourceFork, nil, nil)
		if err != nil {
			return nil, err
		}
		return inStore{item}, nil
	}
	if err != nil {
		return nil, err
	}
	return inFork{n}, nil
}

// besideFork opens the AppleDouble file beside f; nil if there is none.
func (f *file) besideFork() (*disk.Node, *meta.Fork, error) {
	flags := disk.Read | disk.Write
	if f.v.isReadOnly() {
		flags = disk.Read
	}
	n, err := f.v.tree.OpenBeside(context.Background(), f.place, flags)
	switch vfs.KindOf(err) {
	case vfs.KindNotExist, vfs.KindIsDir, vfs.KindUnsupported, vfs.KindPathNotExist, vfs.KindStale:
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	st, err := n.Stat()
	var of disk.Stat
	if err == nil {
		of, err = f.node.Stat()
	}
	if err == nil && meta.Belongs(st, of) {
		var fork *meta.Fork
		if fork, err = meta.OpenFork(n); err == nil {
			return n, fork, nil
		}
	}
	n.Close()
	if vfs.IsKind(err, vfs.KindInvalid) {
		err = nil
	}
	return nil, nil, err
}

// findFork returns where the resource fork of f is.
func (f *file) findFork() (streamPlace, error) {
	at, err := f.forkBeside()
	if err != nil || at != nil {
		return at, err
	}
	all, err := f.streamAttrs()
	return forkIn(all), err
}

// forkBeside returns where the fork is if it is in the store or beside f, else nil.
func (f *file) forkBeside() (streamPlace, error) {
	item, err := f.v.store.find(f, storedStream, vfs.ResourceFork)
	if err != nil {
		return nil, err
	}
	if item != nil {
		return inStore{item}, nil
	}
	n, _, err := f.besideFork()
	if err != nil || n == nil {
		return nil, err
	}
	return inFork{n}, nil
}

// forkIn returns where the fork is if it is in none of the other places.
func forkIn(all []meta.StreamAttr) streamPlace {
	for _, a := range sorted(all) {
		if a.IsFork() {
			return inAttr{a}
		}
	}
	return noFork{}
}

// streamAttrs returns the attributes of f that hold streams.
func (f *file) streamAttrs() (all []meta.StreamAttr, err error) {
	found, err := f.attrs()
	for _, attr := range found {
		if a, ok := meta.StreamOf(attr); ok {
			all = append(all, a)
		}
	}
	return all, err
}

// attrs returns the names of the extended attributes of f.
func (f *file) attrs() ([]string, error) {
	if !f.hasMeta() {
		return nil, nil
	}
	found, err := f.node.ListXattr()
	if vfs.IsKind(err, vfs.KindUnsupported) || vfs.IsKind(err, vfs.KindNoAttr) {
		return nil, nil
	}
	return found, err
}

// syncNode is Sync for a file that may be open as a mere place.
func (f *file) syncNode() error {
	if !f.node.Flags().Has(disk.PathOnly) {
		return f.node.Sync()
	}
	n, p, err := f.v.tree.Open(context.Background(), nil, f.place.Path(), disk.How{Flags: disk.Read | disk.NoFollow}, true)
	if err != nil {
		return errors.Join(f.open(), err)
	}
	defer n.Close()
	p.Release()
	return n.Sync()
}
