package names

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Remove takes away the name p, provided it still is n's: KindNotExist when
// it is gone or another's, which is left alone; KindNotEmpty for a folder that
// holds something. What stands beside p goes as well.
func (t *Tree) Remove(ctx context.Context, c *disk.Cred, p *Place, n *disk.Node) error {
	var sub *dir
	err := t.do(ctx, c, true, "remove", p.Path(), func(r *request) error {
		d, name, st, err := r.source(p, n)
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
		second := r.beside(d, dn, name)
		isDir := st.Type == vfs.TypeDir
		if err := dn.Remove(c, name, isDir); err != nil {
			return err
		}
		d.clock.wrote(dn)
		d.changes.Add(1)
		d.removed(name)
		t.tunnel.enter(d, name)
		r.removeBeside(d, dn, second)

		t.shape.Lock()
		defer t.shape.Unlock()
		d.vanish(name)
		if isDir {
			sub = d.moved(name)
		}
		return nil
	})
	if sub != nil {
		t.forget(sub)
	}
	return err
}
