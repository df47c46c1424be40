package names

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Rename moves what stands at p, provided it is still n, to the path to: p
// follows. With replace a target that is no folder is replaced in one step and
// gets the new spelling. A change of case alone is a rename like any other.
// Errors: KindExist for a target that may not be replaced, KindIsDir for a
// folder in the way of replace, KindNotExist when p's name is gone or belongs
// to another node by now. What stands beside p goes with it, and what stood beside
// a target that was replaced goes.
func (t *Tree) Rename(ctx context.Context, c *disk.Cred, p *Place, n *disk.Node, to string, replace, exact bool) error {
	return t.do(ctx, c, exact, "rename", to, func(r *request) error {
		from, name, st, err := r.source(p, n)
		if err != nil {
			return err
		}
		d, newName, err := r.target(to)
		if err != nil {
			return err
		}
		defer lockBoth(from, d)()
		if now, nowName, ok := r.locate(p); !ok || now != from || nowName != name {
			return errAgain // renamed by another request meanwhile
		}
		fn, err := r.node(from)
		if err != nil {
			return err
		}
		if err := r.mustBe(fn, name, st); err != nil {
			return err
		}
		from.clock.writes(fn)
		m := moving{r: r, from: from, name: name, st: st, to: d, newName: newName, fn: fn, replace: replace}
		second := r.beside(from, fn, name)
		if err := m.move(); err != nil {
			return err
		}
		m.bringBeside(second, p)
		return nil
	})
}

// source returns where p is, whose folder was entered, and what n is.
func (r *request) source(p *Place, n *disk.Node) (d *dir, name string, st disk.Stat, err error) {
	d, name, ok := r.locate(p)
	if !ok {
		return nil, "", st, errNotExist
	}
	if d == nil {
		return nil, "", st, errorOf(vfs.KindBusy) // the root
	}
	if err := r.enterAll(d); err != nil {
		return nil, "", st, err
	}
	st, err = n.Stat()
	return d, name, st, err
}

// mustBe is KindNotExist unless the entry name of the folder n is the node with
// the attributes st. That node is open, so its inode number is its own.
func (r *request) mustBe(n *disk.Node, name string, st disk.Stat) error {
	now, err := n.StatAt(name)
	if err == nil && !sameNode(now, st) {
		err = errNotExist
	}
	return err
}

func sameNode(a, b disk.Stat) bool { return a.Ino == b.Ino && a.Dev == b.Dev }

// lockBoth holds the content of one or two folders, in their order, until the
// function it returns is called.
func lockBoth(a, b *dir) (unlock func()) {
	if a == b {
		a.content.Lock()
		return a.content.Unlock
	}
	if a.num > b.num {
		a, b = b, a
	}
	a.content.Lock()
	b.content.Lock()
	return func() {
		b.content.Unlock()
		a.content.Unlock()
	}
}

// moving is a rename under way. Content of both folders is held.
type moving struct {
	r       *request
	from    *dir
	name    string
	st      disk.Stat // of what is renamed
	to      *dir
	newName string
	replace bool
	fn, tn  *disk.Node // of from and to
}

func (m *moving) move() (err error) {
	if m.tn, err = m.r.node(m.to); err != nil {
		return err
	}
	const tries = 4
	for range tries {
		target, err := m.target()
		switch {
		case vfs.IsKind(err, vfs.KindNotExist):
			m.newName = m.r.tunneled(m.to, m.newName)
			err = m.noReplace(m.name, m.newName)
		case err != nil:
			return err
		case m.from == m.to && target.name == m.name:
			if m.name == m.newName {
				return nil
			}
			err = m.noReplace(m.name, m.newName)
		case !m.replace:
			return errExist
		case target.typ == vfs.TypeDir:
			return errorOf(vfs.KindIsDir)
		default:
			return m.over(target)
		}
		if vfs.IsKind(err, vfs.KindExist) && m.sameEntry() {
			err = m.byThirdName()
		}
		if err == nil {
			m.done(m.newName)
			return nil
		}
		if !vfs.IsKind(err, vfs.KindExist) {
			return err
		}
		m.to.mustCheck([]byte(m.newName)) // made by a local process this moment
	}
	return errExist
}

// target returns what is in the way of the new name.
func (m *moving) target() (found, error) {
	if !m.r.exactly(m.newName) || m.r.mayFold(m.to) {
		f, err := m.r.findHere(m.to, m.newName)
		if !vfs.IsKind(err, vfs.KindAccess) {
			return f, err
		}
	}
	m.to.clock.writes(m.tn)
	st, err := m.tn.StatAt(m.newName)
	return onDiskOnly(m.newName, st.Type), err
}

// sameEntry reports whether the old and the new name are one entry to the disk
// although they are spelled differently.
func (m *moving) sameEntry() bool {
	if m.from != m.to || m.name == m.newName || !m.r.mayFold(m.to) {
		return false
	}
	f, err := m.r.findHere(m.to, m.newName)
	return err == nil && f.name == m.name
}

// noReplace renames within the two folders, if the new name is free.
func (m *moving) noReplace(name, newName string) error {
	err := m.fn.Rename(m.r.c, name, m.tn, newName, true)
	if vfs.IsKind(err, vfs.KindInvalid) || vfs.IsKind(err, vfs.KindUnsupported) {
		// Not every file system can refuse to replace, some of those that
		// can't say so by EINVAL. (The other reason for that is a folder
		// moved into itself; it stays one.)
		if _, err := m.tn.StatAt(newName); !vfs.IsKind(err, vfs.KindNotExist) {
			if err == nil {
				err = errExist
			}
			return err
		}
		err = m.fn.Rename(m.r.c, name, m.tn, newName, false)
	}
	return err
}

// over replaces the target. On disk it may be spelled differently: it is
// replaced in one step, and then its case is changed.
func (m *moving) over(target found) error {
	if !m.r.t.sameName(target.name, m.newName) {
		m.newName = target.name // which was found by a name given to it
	}
	second := "" // beside what is replaced
	st, err := m.tn.StatAt(target.name)
	switch {
	case err != nil && !vfs.IsKind(err, vfs.KindNotExist):
		return err
	case err == nil && sameNode(st, m.st):
		// Two links to one file: to rename one over the other does nothing.
		err = m.fn.Remove(m.r.c, m.name, false)
	default:
		second = m.r.beside(m.to, m.tn, target.name)
		err = m.fn.Rename(m.r.c, m.name, m.tn, target.name, false)
	}
	if err != nil {
		return err
	}
	m.done(target.name)
	m.r.removeBeside(m.to, m.tn, second)
	if target.name == m.newName {
		return nil
	}
	// The replacing is done; if the new spelling can't be had, the old stays.
	again := *m
	again.from, again.fn, again.name = m.to, m.tn, target.name
	err = again.noReplace(again.name, again.newName)
	if vfs.IsKind(err, vfs.KindExist) && again.sameEntry() {
		err = again.byThirdName()
	}
	if err == nil {
		again.done(m.newName)
	}
	return nil
}

// done notes that the rename to newName happened.
func (m *moving) done(newName string) {
	m.from.clock.wrote(m.fn)
	m.to.clock.wrote(m.tn)
	m.from.changes.Add(1)
	m.to.changes.Add(1)
	m.from.removed(m.name)
	m.to.entered(newName, m.st.Type)

	t := m.r.t
	t.tunnel.enter(m.from, m.name)
	t.follow(m.from, m.name, m.to, newName, m.st.Type != vfs.TypeDir)
}

// follow has what is known of the entry name of from go with it when this process
// renamed it. leaf tells that it is no folder.
func (t *Tree) follow(from *dir, name string, to *dir, newName string, leaf bool) {
	t.shape.Lock()
	defer t.shape.Unlock()
	from.follow(name, to, newName)
	if leaf {
		return
	}
	sub := from.moved(name)
	to.moves.Add(1)
	if sub != nil {
		t.hang(to, newName, sub, to.moves.Load())
	}
}
