package volume

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// Rename implements vfs.FS.
func (v *Volume) Rename(ctx context.Context, c *vfs.Caller, f vfs.File, to string, replace bool) (string, error) {
	g, err := v.own("rename", f)
	if err != nil {
		return "", err
	}
	defer g.node.Drop()
	if err := v.tree.Rename(ctx, v.account(c).cred, g.name, g.named(), to, replace, false); err != nil {
		return "", err
	}
	g.changed()
	if replace {
		v.changes.all.Add(1) // what was replaced lost a name
	}
	return g.Path(), nil
}

// Link implements vfs.FS.
func (v *Volume) Link(ctx context.Context, c *vfs.Caller, f vfs.File, to string, replace bool) error {
	g, err := v.own("link", f)
	if err != nil {
		return err
	}
	defer g.node.Drop()
	if err := v.tree.Link(ctx, v.account(c).cred, g.node, to, replace, false); err != nil {
		return err
	}
	g.changed()
	if replace {
		v.changes.all.Add(1)
	}
	return nil
}

// Remove implements vfs.FS.
func (v *Volume) Remove(ctx context.Context, c *vfs.Caller, f vfs.File) error {
	g, err := v.own("remove", f)
	if err != nil {
		return err
	}
	defer g.node.Drop()
	if err := v.tree.Remove(ctx, v.account(c).cred, g.name, g.named()); err != nil {
		return err
	}
	g.changed()
	return nil
}
