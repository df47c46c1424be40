package memfs

import (
	"context"
	"slices"

	"github.com/dozo-server/dozo/vfs"
)

// stream is a named stream of a node. FS.mu guards it.
type stream struct {
	node *node
	id   uint64
	name string
	data data
	gone bool // taken away
}

// streamFile is an open stream.
type streamFile struct{ *file }

// hasStreams reports whether n can have streams and what Macs know of it.
func (n *node) hasStreams() bool { return n.typ == vfs.TypeFile || n.typ == vfs.TypeDir }

// isFork reports whether name is that of a resource fork.
func (s *FS) isFork(name string) bool { return s.key(name) == s.key(vfs.ResourceFork) }

// findStream returns the stream of n whose name compares equal, nil if there is
// none.
func (s *FS) findStream(n *node, name string) *stream {
	key := s.key(name)
	for _, st := range n.streams {
		if s.key(st.name) == key {
			return st
		}
	}
	return nil
}

// checkStream refuses what can't be the name of a stream here.
func (f *file) checkStream(op, name string) error {
	if err := vfs.CheckStreamName(name); err != nil {
		return f.fail(op, vfs.KindOf(err))
	}
	if f.fs.key(name) == f.fs.key(vfs.FinderInfo) {
		return f.fail(op, vfs.KindInvalidName)
	}
	return nil
}

func (f *file) OpenStream(ctx context.Context, c *vfs.Caller, name string, o vfs.StreamOptions) (vfs.Stream, error) {
	const op = "open stream"
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.usable(op, 0); err != nil {
		return nil, err
	}
	if err := f.checkStream(op, name); err != nil {
		return nil, err
	}
	st := f.fs.findStream(f.node, name)
	if st == nil && f.node.typ == vfs.TypeFile && f.fs.isFork(name) {
		st = f.fs.addStream(f.node, vfs.ResourceFork)
	}
	if st == nil {
		return nil, f.fail(op, vfs.KindNoAttr)
	}
	return f.openStream(op, c, st, o)
}

func (f *file) CreateStream(ctx context.Context, c *vfs.Caller, name string, o vfs.StreamOptions) (vfs.Stream, error) {
	const op = "create stream"
	done, err := f.changing(op, 0)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.checkStream(op, name); err != nil {
		return nil, err
	}
	fork := f.fs.isFork(name)
	st := f.fs.findStream(f.node, name)
	switch {
	case !f.node.hasStreams() || fork && f.node.typ == vfs.TypeDir:
		return nil, f.fail(op, vfs.KindUnsupported)
	case st != nil && !(fork && st.data.size == 0):
		return nil, f.fail(op, vfs.KindExist)
	case !f.fs.modeAccess(c, f.node).Has(vfs.WriteData):
		return nil, f.fail(op, vfs.KindAccess)
	case fork:
		name = vfs.ResourceFork
	}
	made := st == nil
	if made {
		st = f.fs.addStream(f.node, name)
	}
	open, err := f.openStream(op, c, st, o)
	if err != nil {
		if made {
			f.fs.removeStream(st)
		}
		return nil, err
	}
	if !fork {
		f.node.changed = f.fs.now()
	}
	return open, nil
}

func (f *file) openStream(op string, c *vfs.Caller, st *stream, o vfs.StreamOptions) (vfs.Stream, error) {
	may := f.fs.maxAccess(c, f.node, f.entry)
	if !may.Has(o.Access) {
		return nil, f.fail(op, vfs.KindAccess)
	}
	if f.fs.readOnly {
		if o.Access&vfs.Changing != 0 {
			return nil, f.fail(op, vfs.KindReadOnly)
		}
		may &^= vfs.Changing
	}
	if o.Maximum {
		o.Access = may
	}
	g := f.fs.open(f.node, f.entry, o.Access)
	g.stream, g.target, g.noFollow = st, f.target, f.noFollow
	return &streamFile{g}, nil
}

// addStream gives n a stream. The caller holds s.mu.
func (s *FS) addStream(n *node, name string) *stream {
	s.lastID++
	st := &stream{node: n, id: s.lastID, name: name}
	n.streams = append(n.streams, st)
	return st
}

// removeStream is the opposite of addStream.
func (s *FS) removeStream(st *stream) {
	st.gone = true
	s.used -= st.data.charge()
	st.data = data{}
	st.node.streams = slices.DeleteFunc(st.node.streams, func(other *stream) bool { return other == st })
}

// dropStream removes a stream as a caller asks for it: a resource fork is emptied.
func (s *FS) dropStream(st *stream) {
	if !s.isFork(st.name) {
		s.removeStream(st)
		return
	}
	s.used -= st.data.charge()
	st.data.truncate(0)
	s.used += st.data.charge()
}

func (f *file) Streams(ctx context.Context) ([]vfs.StreamInfo, error) {
	done, err := f.reading("list streams", 0)
	if err != nil {
		return nil, err
	}
	defer done()
	var all []vfs.StreamInfo
	for _, st := range f.node.streams {
		if st.data.size > 0 || !f.fs.isFork(st.name) {
			all = append(all, vfs.StreamInfo{Name: st.name, Size: st.data.size, Allocated: st.data.charge()})
		}
	}
	return all, nil
}

func (f *file) Clear(ctx context.Context) error {
	done, err := f.changing("clear", vfs.WriteData|vfs.AppendData)
	if err != nil {
		return err
	}
	defer done()
	if len(f.node.streams) == 0 && f.node.mac == (vfs.Mac{}) {
		return nil
	}
	for _, st := range slices.Clone(f.node.streams) {
		f.fs.dropStream(st)
	}
	f.node.mac = vfs.Mac{}
	f.node.changed = f.fs.now()
	return nil
}

func (f *streamFile) StreamName() string {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.stream.name
}

func (f *streamFile) Remove(ctx context.Context, c *vfs.Caller) error {
	done, err := f.renaming("remove stream", c)
	if err != nil {
		return err
	}
	defer done()
	f.fs.dropStream(f.stream)
	f.node.changed = f.fs.now()
	return nil
}

func (f *streamFile) Rename(ctx context.Context, c *vfs.Caller, to string, replace bool) error {
	const op = "rename stream"
	done, err := f.renaming(op, c)
	if err != nil {
		return err
	}
	defer done()
	if err := f.checkStream(op, to); err != nil {
		return err
	}
	if f.fs.isFork(f.stream.name) || f.fs.isFork(to) {
		return f.fail(op, vfs.KindInvalidName)
	}
	if other := f.fs.findStream(f.node, to); other != nil && other != f.stream {
		if !replace {
			return f.fail(op, vfs.KindExist)
		}
		f.fs.removeStream(other)
	}
	f.stream.name = to
	f.node.changed = f.fs.now()
	return nil
}

// renaming is changing for a call that changes which streams there are.
func (f *streamFile) renaming(op string, c *vfs.Caller) (done func(), err error) {
	done, err = f.changing(op, 0)
	if err == nil && !f.fs.modeAccess(c, f.node).Has(vfs.WriteData) {
		done()
		return nil, f.fail(op, vfs.KindAccess)
	}
	return done, err
}
