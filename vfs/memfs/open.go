package memfs

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// Open implements vfs.FS.
func (s *FS) Open(ctx context.Context, c *vfs.Caller, path string, o vfs.OpenOptions) (vfs.File, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	w := walk{fs: s, op: "open", path: path, caller: c, exact: o.Exact}
	at, err := w.walk()
	if err != nil {
		return nil, err
	}
	if !o.NoFollow {
		if err := w.through(&at); err != nil && o.Access&contents != 0 {
			return nil, err
		}
	}
	if at.node == nil {
		return nil, w.fail(vfs.KindNotExist)
	}
	may := s.maxAccess(c, at.node, at.entry)
	if !may.Has(o.Access) {
		return nil, w.fail(vfs.KindAccess)
	}
	if s.readOnly {
		if o.Access&vfs.Changing != 0 {
			return nil, w.fail(vfs.KindReadOnly)
		}
		may &^= vfs.Changing
	}
	if o.Maximum {
		o.Access = may
	}
	f := s.open(at.node, at.entry, o.Access)
	f.noFollow, f.target = o.NoFollow, at.target
	return f, nil
}

// Create implements vfs.FS. Its maker is granted all rights to a new node,
// whatever its mode says, as by open(2) with O_CREAT.
func (s *FS) Create(ctx context.Context, c *vfs.Caller, path string, o vfs.CreateOptions) (vfs.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	typ, mode := vfs.TypeFile, uint32(0o644)
	if o.Directory {
		typ, mode = vfs.TypeDir, 0o755
	}
	if o.HasMode {
		mode = o.Mode & 0o7777
	}
	e, err := s.create("create", c, path, o.Exact, typ, mode)
	if err != nil {
		return nil, err
	}
	e.node.dos = o.DOS & vfs.DOSStored
	if o.Maximum {
		o.Access = vfs.AllAccess
	}
	return s.open(e.node, e, o.Access), nil
}

// Symlink makes a symbolic link that holds target.
func (s *FS) Symlink(path, target string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.create("symlink", nil, path, false, vfs.TypeSymlink, 0o777)
	if err != nil {
		return err
	}
	e.node.target = target
	return nil
}

// create makes a node and its name.
func (s *FS) create(op string, c *vfs.Caller, path string, exact bool, typ vfs.Type, mode uint32) (*entry, error) {
	w := walk{fs: s, op: op, path: path, caller: c, exact: exact}
	at, err := w.walk()
	switch {
	case err != nil:
		return nil, err
	case at.node != nil:
		return nil, w.fail(vfs.KindExist)
	case s.readOnly:
		return nil, w.fail(vfs.KindReadOnly)
	case !s.mayAdd(c, at.parent):
		return nil, w.fail(vfs.KindAccess)
	}
	n := s.newNode(typ, s.acting(c), mode)
	e := &entry{parent: at.parent, name: at.name, node: n}
	s.add(e)
	return e, nil
}

// add puts e into its folder and counts it.
func (s *FS) add(e *entry) {
	s.insert(e)
	e.node.links++
	if e.node.typ == vfs.TypeDir {
		e.node.self = e
	}
	now := s.now()
	e.parent.modified, e.parent.changed = now, now
	e.node.changed = now
}

// remove is the opposite of add. The node lives on in its open files.
func (s *FS) remove(e *entry) {
	s.takeOut(e)
	e.gone = true
	now := s.now()
	e.parent.modified, e.parent.changed = now, now
	e.node.changed = now
	e.node.links--
	s.free(e.node)
}

// free gives back what n took when it has neither names nor open files.
func (s *FS) free(n *node) {
	if n.links > 0 || n.opens.Load() > 0 {
		return
	}
	s.nodes--
	s.used -= n.data.charge()
	n.data = data{}
	delete(s.numbered, uint32(n.id))
	for len(n.streams) > 0 {
		s.removeStream(n.streams[0])
	}
}
