package names

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Link gives n, which need not stand at the name it was opened by any more, the
// further name to, with the rules of Rename. KindNotExist when n has no name
// left, KindUnsupported where the system can't.
func (t *Tree) Link(ctx context.Context, c *disk.Cred, n *disk.Node, to string, replace, exact bool) error {
	return t.do(ctx, c, exact, "link", to, func(r *request) error {
		d, name, err := r.target(to)
		if err != nil {
			return err
		}
		st, err := n.Stat()
		switch {
		case err != nil:
			return err
		case st.Links == 0:
			return errNotExist // what the system says, too, as of a folder that is gone
		}
		d.content.Lock()
		defer d.content.Unlock()
		dn, err := r.node(d)
		if err != nil {
			return err
		}
		m := moving{r: r, from: d, fn: dn, st: st, to: d, tn: dn, newName: name, replace: replace}
		const tries = 4
		for range tries {
			target, err := m.target()
			switch {
			case vfs.IsKind(err, vfs.KindNotExist):
				err = r.makeIn(d, name, st.Type, func(dn *disk.Node, name string) (*disk.Node, error) {
					return nil, n.LinkNode(c, dn, name)
				})
				if !vfs.IsKind(err, vfs.KindExist) {
					return err
				}
			case err != nil:
				return err
			case !replace:
				return errExist
			case target.typ == vfs.TypeDir:
				return errorOf(vfs.KindIsDir)
			default:
				return m.linkOver(n, target)
			}
		}
		return errExist
	})
}

// linkOver links n by a third name and renames that over the target.
func (m *moving) linkOver(n *disk.Node, target found) error {
	if st, err := m.tn.StatAt(target.name); err == nil && sameNode(st, m.st) {
		return nil // it is n already
	}
	m.name = thirdName("")
	if err := n.LinkNode(m.r.c, m.tn, m.name); err != nil {
		return err
	}
	m.to.changes.Add(1)
	m.to.entered(m.name, m.st.Type)
	err := m.over(target)
	if err != nil && m.tn.Remove(nil, m.name, false) == nil {
		m.to.removed(m.name)
	}
	return err
}
