package volume

import (
	"context"
	"slices"
	"strings"

	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// checkStream returns how the name of a stream is spelled on disk.
func (f *file) checkStream(op, name string) (string, error) {
	if err := vfs.CheckStreamName(name); err != nil {
		return "", f.fail(op, vfs.KindOf(err))
	}
	plain := meta.PlainStream(name)
	if strings.EqualFold(plain, vfs.FinderInfo) || strings.ContainsAny(plain, "/\x00") {
		return "", f.fail(op, vfs.KindInvalidName)
	}
	if isFork(plain) {
		plain = vfs.ResourceFork
	}
	return plain, nil
}

// find returns the stream of f that is called name on disk, with one more use; nil
// if there is none. The caller holds the lock of the node.
func (f *file) findStream(name string) (*stream, error) {
	id := streamID{f.key, f.v.streamKey(name)}
	if st := f.v.streams.get(id); st != nil {
		return st, nil
	}
	name, at, err := f.findPlace(name)
	if err != nil || at == nil {
		return nil, err
	}
	return f.v.streams.add(id, name, at), nil
}

// findPlace returns where the stream called name is, and how it is spelled: the
// exact spelling, or another that is the same.
func (f *file) findPlace(name string) (spelled string, at streamPlace, err error) {
	if isFork(name) {
		if f.typ != vfs.TypeFile {
			return "", nil, nil
		}
		at, err = f.findFork()
		return vfs.ResourceFork, at, err
	}
	item, err := f.v.store.find(f, storedStream, name)
	if err != nil {
		return "", nil, err
	}
	if item != nil {
		return item.name, inStore{item}, nil
	}
	all, err := f.streamAttrs()
	if err != nil {
		return "", nil, err
	}
	for _, a := range sorted(all) {
		if a.Name == name {
			return a.Name, inAttr{a}, nil
		}
	}
	for _, a := range sorted(all) {
		if f.v.sameStream(a.Name, name) {
			return a.Name, inAttr{a}, nil
		}
	}
	return "", nil, nil
}

// sorted puts the form in front that counts if a stream is there in two.
func sorted(all []meta.StreamAttr) []meta.StreamAttr {
	slices.SortFunc(all, func(a, b meta.StreamAttr) int { return b.Form() - a.Form() })
	return all
}

// OpenStream implements vfs.Streamer.
func (f *file) OpenStream(ctx context.Context, c *vfs.Caller, name string, o vfs.StreamOptions) (vfs.Stream, error) {
	const op = "open stream"
	name, err := f.checkStream(op, name)
	if err != nil {
		return nil, err
	}
	granted, err := f.grantStream(ctx, op, c, o, false)
	if err != nil {
		return nil, err
	}
	defer f.node.Drop()
	defer f.locked()()
	st, err := f.findStream(name)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return nil, f.fail(op, vfs.KindNoAttr)
	}
	return &streamFile{f: f, s: st, granted: granted}, nil
}

// CreateStream implements vfs.Streamer.
func (f *file) CreateStream(ctx context.Context, c *vfs.Caller, name string, o vfs.StreamOptions) (vfs.Stream, error) {
	const op = "create stream"
	name, err := f.checkStream(op, name)
	if err != nil {
		return nil, err
	}
	if !f.hasMeta() || isFork(name) && f.typ == vfs.TypeDir {
		return nil, f.fail(op, vfs.KindUnsupported)
	}
	granted, err := f.grantStream(ctx, op, c, o, true)
	if err != nil {
		return nil, err
	}
	defer f.node.Drop()
	defer f.locked()()
	st, err := f.findStream(name)
	if err != nil {
		return nil, err
	}
	if st != nil && isFork(name) {
		if size, _, err := st.at.size(f); err == nil && size == 0 {
			return &streamFile{f: f, s: st, granted: granted}, nil
		}
	}
	if st != nil {
		f.release(st)
		return nil, f.fail(op, vfs.KindExist)
	}
	at, err := f.putStream(name, nil, nil)
	if err != nil {
		return nil, err
	}
	f.changed()
	st = f.v.streams.add(streamID{f.key, f.v.streamKey(name)}, name, at)
	return &streamFile{f: f, s: st, granted: granted}, nil
}

// grantStream decides what a stream of f may be used for, one that is to be made with
// the right to write in any case, and holds f's descriptor.
func (f *file) grantStream(ctx context.Context, op string, c *vfs.Caller, o vfs.StreamOptions, make bool) (vfs.Access, error) {
	if f.v.isReadOnly() && (make || o.Access&vfs.Changing != 0) {
		return 0, f.fail(op, vfs.KindReadOnly)
	}
	if err := f.node.Hold("stream"); err != nil {
		return 0, err
	}
	may, err := f.mayStream(ctx, c, o)
	if err == nil && (!may.Has(o.Access) || make && !may.Has(vfs.WriteData)) {
		err = f.fail(op, vfs.KindAccess)
	}
	if err != nil {
		f.node.Drop()
		return 0, err
	}
	if o.Maximum {
		return may, nil
	}
	return o.Access, nil
}

// mayStream returns the rights to f that c has, as far as o asks for them.
func (f *file) mayStream(ctx context.Context, c *vfs.Caller, o vfs.StreamOptions) (vfs.Access, error) {
	a := f.v.account(c)
	st, err := f.node.Stat()
	if err != nil {
		return 0, err
	}
	may := f.v.rights(a, f.node, &st)
	if (o.Maximum || o.Access.Has(vfs.Delete)) && f.v.mayUnlink(ctx, a, f, &st) {
		may |= vfs.Delete
	}
	return may, nil
}

// mayChange is KindAccess for a caller who may not write to f.
func (f *file) mayChange(op string, c *vfs.Caller) error {
	st, err := f.node.Stat()
	if err != nil {
		return err
	}
	if !f.v.rights(f.v.account(c), f.node, &st).Has(vfs.WriteData) {
		return f.fail(op, vfs.KindAccess)
	}
	return nil
}

// locked takes the lock of the node, which whoever calls the result gives back.
func (f *file) locked() (unlock func()) {
	lock := f.metaLock()
	lock.Lock()
	return lock.Unlock
}

// release ends a use of st. The caller holds the lock of the node.
func (f *file) release(st *stream) {
	if f.v.streams.drop(st) {
		st.at.close()
	}
}

// Streams implements vfs.Streamer.
func (f *file) Streams(ctx context.Context) ([]vfs.StreamInfo, error) {
	if err := f.node.Hold("stream"); err != nil {
		return nil, err
	}
	defer f.node.Drop()
	defer f.locked()()
	var all []vfs.StreamInfo
	seen := map[string]bool{}
	add := func(name string, at streamPlace) error {
		key := f.v.streamKey(name)
		if seen[key] {
			return nil
		}
		seen[key] = true
		size, allocated, err := at.size(f)
		if vfs.IsKind(err, vfs.KindStale) {
			return nil // taken away this moment
		}
		if err == nil && (size > 0 || !isFork(name)) {
			all = append(all, vfs.StreamInfo{Name: meta.ShownStream(name), Size: size, Allocated: allocated})
		}
		return err
	}
	items, err := f.v.store.list(f)
	if err != nil {
		return nil, err
	}
	defer closeAll(items)
	for _, item := range items {
		if item.kind == storedStream {
			if err := add(item.name, inStore{&item}); err != nil {
				return nil, err
			}
		}
	}
	attrs, err := f.streamAttrs()
	if err != nil {
		return nil, err
	}
	if f.typ == vfs.TypeFile {
		fork, err := f.forkBeside()
		if err != nil {
			return nil, err
		}
		if fork == nil {
			fork = forkIn(attrs)
		}
		err = add(vfs.ResourceFork, fork)
		fork.close()
		if err != nil {
			return nil, err
		}
	}
	for _, a := range sorted(attrs) {
		if a.IsFork() {
			continue
		}
		if err := add(a.Name, inAttr{a}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Clear implements vfs.Streamer.
func (f *file) Clear(ctx context.Context) error {
	const op = "clear"
	if f.v.isReadOnly() {
		return f.fail(op, vfs.KindReadOnly)
	}
	if f.granted&writes == 0 {
		return f.fail(op, vfs.KindNotGranted)
	}
	if err := f.node.Hold("stream"); err != nil {
		return err
	}
	defer f.node.Drop()
	defer f.locked()()
	if !f.hasMeta() {
		return nil
	}
	f.v.streams.goesAll(f.key)
	if bare, err := f.isBare(); bare || err != nil {
		return err
	}
	defer f.changed()
	// Attributes first: what is in the store counts more than they.
	attrs, err := f.streamAttrs()
	if err != nil {
		return err
	}
	for _, a := range attrs {
		if !a.IsFork() {
			if err := (inAttr{a}).remove(f); err != nil {
				return err
			}
		}
	}
	items, err := f.v.store.list(f)
	if err != nil {
		return err
	}
	defer closeAll(items)
	for _, item := range items {
		if item.kind == storedStream && !isFork(item.name) {
			if err := f.v.store.remove(f, &item); err != nil {
				return err
			}
		}
	}
	if err := f.removeMac(); err != nil {
		return err
	}
	fork, err := f.findStream(vfs.ResourceFork)
	if err != nil || fork == nil {
		return err
	}
	defer f.release(fork)
	return f.removeFork(fork)
}

// isBare reports whether f has nothing but its data, as most files, which a call or
// two of the system tell.
func (f *file) isBare() (bool, error) {
	if f.v.store.has(f.id) {
		return false, nil
	}
	attrs, err := f.attrs()
	if err != nil {
		return false, err
	}
	for _, attr := range attrs {
		if _, ok := meta.StreamOf(attr); ok || attr == meta.NetatalkName || attr == meta.AfpInfoName {
			return false, nil
		}
	}
	n, _, err := f.besideFork()
	if n != nil {
		n.Close()
	}
	return n == nil, err
}

// removeFork empties a resource fork. It may be in several places.
func (f *file) removeFork(fork *stream) error {
	for {
		if _, none := fork.at.(noFork); none {
			return nil
		}
		if err := fork.at.remove(f); err != nil {
			return err
		}
		fork.at.close()
		before := fork.at
		fork.at = noFork{}
		next, err := f.findFork()
		if err != nil {
			return err
		}
		if k, beside := next.(inFork); beside {
			if _, was := before.(inFork); was { // it holds something else, and an empty fork
				fork.at = k
				return nil
			}
		}
		fork.at = next
	}
}
