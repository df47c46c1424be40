package memfs

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// Rename implements vfs.FS.
func (s *FS) Rename(ctx context.Context, c *vfs.Caller, f vfs.File, to string, replace bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const op = "rename"
	g, err := s.named(op, f)
	if err != nil {
		return "", err
	}
	w := walk{fs: s, op: op, path: to, caller: c}
	at, err := w.walk()
	if err != nil {
		return "", err
	}
	e := g.entry
	switch {
	case at.parent == nil: // the root
		return "", w.fail(vfs.KindExist)
	case below(at.parent, e.node):
		return "", w.fail(vfs.KindInvalid)
	case !s.mayUnlink(c, e) || !s.mayAdd(c, at.parent):
		return "", w.fail(vfs.KindAccess)
	}
	if at.entry != nil && at.entry != e {
		if err := w.makeRoom(at.entry, replace); err != nil {
			return "", err
		}
	}
	now := s.now()
	name := lastName(to)
	if at.parent == e.parent {
		s.unindex(e)
		e.name = name
		s.index(e)
	} else {
		s.takeOut(e)
		e.parent.modified, e.parent.changed = now, now
		e.parent, e.name = at.parent, name
		s.insert(e)
	}
	e.parent.modified, e.parent.changed = now, now
	e.node.changed = now
	return e.path(), nil
}

// Link implements vfs.FS.
func (s *FS) Link(ctx context.Context, c *vfs.Caller, f vfs.File, to string, replace bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	const op = "link"
	g, err := s.named(op, f)
	if err != nil {
		return err
	}
	w := walk{fs: s, op: op, path: to, caller: c}
	at, err := w.walk()
	switch {
	case err != nil:
		return err
	case at.parent == nil:
		return w.fail(vfs.KindExist)
	case g.node.typ == vfs.TypeDir:
		return w.fail(vfs.KindIsDir)
	case g.node.links >= maxLinks:
		return w.fail(vfs.KindTooManyLinks)
	case !s.mayAdd(c, at.parent):
		return w.fail(vfs.KindAccess)
	}
	if at.entry == g.entry {
		if !replace {
			return w.fail(vfs.KindExist)
		}
		return nil // the name is there already
	}
	if at.entry != nil {
		if err := w.makeRoom(at.entry, replace); err != nil {
			return err
		}
	}
	s.add(&entry{parent: at.parent, name: lastName(to), node: g.node})
	return nil
}

// Remove implements vfs.FS.
func (s *FS) Remove(ctx context.Context, c *vfs.Caller, f vfs.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	const op = "remove"
	g, err := s.named(op, f)
	switch {
	case err != nil:
		return err
	case !s.mayUnlink(c, g.entry):
		return vfs.NewError(op, g.entry.path(), vfs.KindAccess, nil)
	case g.entry.node.dir != nil && len(g.entry.node.dir.byKey) > 0:
		return vfs.NewError(op, g.entry.path(), vfs.KindNotEmpty, nil)
	}
	s.remove(g.entry)
	return nil
}

// named is changing for a call that needs the name the file was opened by.
func (s *FS) named(op string, f vfs.File) (*file, error) {
	g, err := s.changing(op, f)
	switch {
	case err != nil:
		return nil, err
	case g.entry == nil: // the root
		return nil, vfs.NewError(op, "", vfs.KindInvalid, nil)
	case g.entry.gone:
		return nil, vfs.NewError(op, g.entry.path(), vfs.KindNotExist, nil)
	}
	return g, nil
}

// makeRoom removes e, whose name is wanted for another node.
func (w *walk) makeRoom(e *entry, replace bool) error {
	switch {
	case !replace:
		return w.fail(vfs.KindExist)
	case e.node.typ == vfs.TypeDir:
		return w.fail(vfs.KindIsDir)
	case !w.fs.mayUnlink(w.caller, e):
		return w.fail(vfs.KindAccess)
	}
	w.fs.remove(e)
	return nil
}

// below reports whether d is n or a folder somewhere in it.
func below(d, n *node) bool {
	for d != n && d.self != nil {
		d = d.self.parent
	}
	return d == n
}

func lastName(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
