package volume

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// streams are the open streams of a volume: all opens of one share it, and with it
// where it is.
type streams struct {
	mu   sync.Mutex
	last uint64
	open map[streamID]*stream // those that are not gone
}

// streamID tells streams apart: by their node and what their names compare by.
type streamID struct {
	node vfs.Key
	name string
}

// stream is a stream that somebody has open.
type stream struct {
	num uint64 // vfs.Key.Stream

	// Guarded by streams.mu.
	id   streamID
	uses int

	// Guarded by the lock of its node.
	name string // as on disk
	gone bool
	at   streamPlace
}

// sameStream reports whether a and b are spellings of one stream.
func (v *Volume) sameStream(a, b string) bool { return a == b || v.streamKey(a) == v.streamKey(b) }

func (v *Volume) streamKey(name string) string {
	if isFork(name) {
		return vfs.ResourceFork
	}
	return v.tree.Key(name)
}

// isFork reports whether name is a resource fork's, in any case: to Samba and to
// Macs it is one.
func isFork(name string) bool { return strings.EqualFold(name, vfs.ResourceFork) }

// get returns the open stream of f called name, with one more use; nil if nobody has
// it open.
func (s *streams) get(id streamID) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.open[id]
	if st != nil {
		st.uses++
	}
	return st
}

// add enters a stream that was found at a place, with one use.
func (s *streams) add(id streamID, name string, at streamPlace) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	st := &stream{num: s.last, id: id, uses: 1, name: name, at: at}
	if s.open == nil {
		s.open = map[streamID]*stream{}
	}
	s.open[id] = st
	return st
}

// drop ends a use of st and reports whether it was the last.
func (s *streams) drop(st *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.uses--
	if st.uses == 0 && s.open[st.id] == st {
		delete(s.open, st.id)
	}
	return st.uses == 0
}

// goes notes that what is called so is gone, for those that have it open. The
// caller holds the lock of the node.
func (s *streams) goes(id streamID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.open[id]; st != nil {
		st.gone = true
		delete(s.open, id)
	}
}

// goesAll is goes for all streams of a node but its fork.
func (s *streams) goesAll(node vfs.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, st := range s.open {
		if id.node == node && id.name != vfs.ResourceFork {
			st.gone = true
			delete(s.open, id)
		}
	}
}

// renamed notes that st has another name.
func (s *streams) renamed(st *stream, id streamID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, st.id)
	st.id = id
	s.open[id] = st
}

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
