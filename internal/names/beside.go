package names

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Beside some entries stands another that holds a part of them: the resource fork
// of NAME is in ._NAME. It goes where its entry goes, and listings don't show it.
// Which names form a pair the spelling says, to the letter: both are written by
// one hand. What only looks like the second of a pair is an entry like any other.
//
// The entry comes first in everything, and what stands beside it is moved or
// taken away behind it, by the process and not by the caller, who had the right
// to the entry. If the machine stops between the two, a fork is left alone and is
// shown; no entry has another's.
const besidePrefix = "._"

// beside returns the name of what stands beside the entry name of d, "" if
// nothing does. It runs with content held exclusively, in a request that entered
// d, and costs no system call where names are in memory.
func (r *request) beside(d *dir, n *disk.Node, name string) string {
	if r.t.o.Beside == nil {
		return ""
	}
	second := besidePrefix + name
	if there, known := d.lists(second); known && !there {
		return ""
	}
	if !r.t.o.Beside(n, second) {
		return ""
	}
	return second
}

// lists reports whether name is in d to the letter, if that is known without a look
// at the disk. It runs with content held.
func (d *dir) lists(name string) (there, known bool) {
	if d.names == nil || d.dirty.Load() || !d.watched() || !d.valid() {
		return false, false
	}
	rec, found := d.names.find(name)
	return found && string(rec.name) == name, true
}

// isBeside reports whether name is the second of a pair in the folder n.
func (t *Tree) isBeside(n *disk.Node, name string) bool {
	first, ok := strings.CutPrefix(name, besidePrefix)
	if !ok || t.o.Beside == nil {
		return false
	}
	_, err := n.StatAt(first)
	return err == nil && t.o.Beside(n, name)
}

// removeBeside takes away second, which stood beside an entry of d that is gone. It
// runs with content held exclusively.
func (r *request) removeBeside(d *dir, n *disk.Node, second string) {
	if second == "" || n.Remove(nil, second, false) != nil {
		return
	}
	d.clock.wrote(n)
	d.changes.Add(1)
	d.removed(second)
	r.t.shape.Lock()
	d.vanish(second)
	r.t.shape.Unlock()
}

// bringBeside moves second, which stood beside the entry that m moved to the place
// p. Where something else has the name that it should have, it stays.
func (m *moving) bringBeside(second string, p *Place) {
	if second == "" {
		return
	}
	target := besidePrefix + p.Name()
	if m.from == m.to && target == second {
		return
	}
	err := m.fn.Rename(nil, second, m.tn, target, true)
	if err != nil {
		// There may be something, or the disk can't refuse to replace.
		now, statErr := m.tn.StatAt(target)
		st, secondErr := m.fn.StatAt(second)
		switch {
		case statErr == nil && secondErr == nil && sameNode(now, st):
			// Two links to one file: to rename one over the other does nothing.
			// Where the disk folds, it may be one name by two spellings.
			if st.Links > 1 && !m.r.mayFold(m.to) {
				m.r.removeBeside(m.from, m.fn, second)
			}
			return
		case vfs.IsKind(statErr, vfs.KindNotExist) || m.r.t.o.Beside(m.tn, target):
			err = m.fn.Rename(nil, second, m.tn, target, false)
		}
	}
	if err != nil {
		return
	}
	m.from.clock.wrote(m.fn)
	m.to.clock.wrote(m.tn)
	m.from.changes.Add(1)
	m.to.changes.Add(1)
	m.from.removed(second)
	m.to.entered(target, vfs.TypeFile)
	m.r.t.follow(m.from, second, m.to, target, true)
}

// OpenBeside opens what has the name of what stands beside the entry p, as the
// process; what it is, is not looked at. KindNotExist if there is nothing.
func (t *Tree) OpenBeside(ctx context.Context, p *Place, flags disk.Flags) (n *disk.Node, err error) {
	err = t.do(ctx, nil, true, "open beside", p.Path(), func(r *request) error {
		d, name, ok := r.locate(p)
		if !ok || d == nil {
			return errNotExist
		}
		if err := r.enter(d); err != nil {
			return err
		}
		dn, err := r.node(d)
		if err != nil {
			return err
		}
		if d.indexed() && !r.mayHaveBeside(d, dn, name) {
			return errNotExist // for certain, and for nothing
		}
		n, err = dn.Open(nil, besidePrefix+name, disk.How{Flags: flags | disk.NoFollow | disk.NoSymlinks})
		switch vfs.KindOf(err) {
		case vfs.KindNameTooLong, vfs.KindLoop:
			return errNotExist
		}
		return err
	})
	return n, err
}

// mayHaveBeside reports whether something has the name of what stands beside the
// entry name of d, which was entered.
func (r *request) mayHaveBeside(d *dir, n *disk.Node, name string) bool {
	second := besidePrefix + name
	d.content.RLock()
	there, known := d.lists(second)
	d.content.RUnlock()
	if known {
		return there
	}
	_, err := n.StatAt(second)
	return err == nil
}

// HaveBeside tells for each entry of the folder at dir, by its stored name, whether
// something has the name of what stands beside it.
func (t *Tree) HaveBeside(ctx context.Context, dir *Place, entries []string, have []bool) error {
	return t.do(ctx, nil, true, "list beside", dir.Path(), func(r *request) error {
		d, err := r.folder(dir)
		if err != nil {
			return err
		}
		n, err := r.node(d)
		if err != nil {
			return err
		}
		for i, name := range entries {
			have[i] = r.mayHaveBeside(d, n, name)
		}
		return nil
	})
}

// MakeBeside makes what stands beside the entry p, provided that it still is of, as
// the process: a file with the permission bits mode, which fill makes what it
// should be before others see it as that. KindExist when something has the name.
func (t *Tree) MakeBeside(ctx context.Context, p *Place, of *disk.Node, mode uint32, fill func(*disk.Node) error) (n *disk.Node, err error) {
	err = t.do(ctx, nil, true, "create beside", p.Path(), func(r *request) error {
		d, name, st, err := r.source(p, of)
		if err != nil {
			return err
		}
		d.content.Lock()
		defer d.content.Unlock()
		if now, nowName, ok := r.locate(p); !ok || now != d || nowName != name {
			return errAgain
		}
		dn, err := r.node(d)
		if err != nil {
			return err
		}
		if err := r.mustBe(dn, name, st); err != nil {
			return err
		}
		d.clock.writes(dn)
		how := disk.How{Flags: disk.Read | disk.Write | disk.Create | disk.Exclusive | disk.NoFollow, Mode: mode}
		return r.makeIn(d, besidePrefix+name, vfs.TypeFile, func(dn *disk.Node, second string) (*disk.Node, error) {
			if n, err = dn.Open(nil, second, how); err != nil {
				return nil, err
			}
			if err = fill(n); err != nil {
				dn.Remove(nil, second, false)
			}
			return n, err
		})
	})
	if err != nil && n != nil {
		n.Close()
		n = nil
	}
	return n, err
}

// RemoveBeside takes away what stands beside the entry p.
func (t *Tree) RemoveBeside(ctx context.Context, p *Place) error {
	return t.do(ctx, nil, true, "remove beside", p.Path(), func(r *request) error {
		d, name, ok := r.locate(p)
		if !ok || d == nil {
			return nil
		}
		if err := r.enterAll(d); err != nil {
			return err
		}
		d.content.Lock()
		defer d.content.Unlock()
		dn, err := r.node(d)
		if err != nil {
			return err
		}
		d.clock.writes(dn)
		r.removeBeside(d, dn, r.beside(d, dn, name))
		return nil
	})
}
