package memfs

import (
	"context"
	"math"

	"github.com/dozo-server/dozo/vfs"
)

// number returns the number of what e names, which is found by it from now on; a
// nil e is the root. The caller holds s.mu.
func (s *FS) number(e *entry) (uint32, error) {
	switch {
	case e == nil:
		return vfs.RootNumber, nil
	case e.node.id >= math.MaxUint32:
		return 0, vfs.NewError("number", e.path(), vfs.KindNoSpace, nil)
	}
	n := uint32(e.node.id)
	if old := s.numbered[n]; old == nil || old.gone {
		s.numbered[n] = e
	}
	return n, nil
}

// Number implements vfs.Numbered.
func (s *FS) Number(ctx context.Context, c *vfs.Caller, f vfs.File) (vfs.Number, error) {
	const op = "number"
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.own(op, f)
	if err != nil {
		return vfs.Number{}, err
	}
	if err := g.usable(op, 0); err != nil {
		return vfs.Number{}, err
	}
	if g.entry == nil {
		return vfs.Number{Node: vfs.RootNumber, Parent: vfs.ParentOfRoot}, nil
	}
	n := vfs.Number{}
	if n.Parent, err = s.number(g.entry.parent.self); err != nil {
		return vfs.Number{}, err
	}
	n.Node, err = s.number(g.entry)
	return n, err
}

// NumberEntries implements vfs.Numbered.
func (s *FS) NumberEntries(ctx context.Context, c *vfs.Caller, dir vfs.File, entries []vfs.Entry, numbers []uint32) error {
	const op = "number"
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.own(op, dir)
	if err != nil {
		return err
	}
	if err := g.usable(op, 0); err != nil {
		return err
	}
	if g.node.dir == nil {
		return g.fail(op, vfs.KindNotDir)
	}
	for i := range entries {
		numbers[i] = 0
		if e := s.find(g.node, entries[i].Name, true); e != nil {
			if numbers[i], err = s.number(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// Find implements vfs.Numbered.
func (s *FS) Find(ctx context.Context, c *vfs.Caller, number uint32) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number == vfs.RootNumber {
		return "", nil
	}
	e := s.numbered[number]
	if e == nil || e.gone {
		delete(s.numbered, number)
		return "", vfs.NewError("find", "", vfs.KindNotExist, nil)
	}
	return e.path(), nil
}

var _ vfs.Numbered = (*FS)(nil)
