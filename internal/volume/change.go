package volume

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// Rename implements vfs.FS.
func (v *Volume) Rename(ctx context.Context, c *vfs.Caller, f vfs.File, to string, replace bool) (string, error) {
	g, err := v.own("rename", f)
	if err != nil {
		return "", err
	}
	defer g.node.Drop()
	replaced := v.replaced(ctx, to, replace)
	if err := v.tree.Rename(ctx, v.account(c).cred, g.name, g.named(), to, replace, false); err != nil {
		replaced()
		return "", err
	}
	replaced()
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
	replaced := v.replaced(ctx, to, replace)
	err = v.tree.Link(ctx, v.account(c).cred, g.node, to, replace, false)
	replaced()
	if err != nil {
		return err
	}
	if err := g.linkFork(ctx, to); err != nil {
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
	switch {
	case g.link != nil:
	case g.typ == vfs.TypeDir: // which some disks give a link for good
		v.store.drop(g.identity)
	default:
		v.dropIfGone(g)
	}
	g.changed()
	return nil
}

// replaced returns what is to be called after a rename or link to the path to that
// may replace what is there: then what is stored about that goes, too.
func (v *Volume) replaced(ctx context.Context, to string, replace bool) (after func()) {
	if !replace || v.store.empty() {
		return func() {}
	}
	f, err := v.openFile(ctx, new(account), to, vfs.OpenOptions{}, disk.NoFollow)
	if err != nil {
		return func() {} // the change will tell
	}
	return func() {
		v.dropIfGone(f)
		f.Close()
	}
}

// dropIfGone takes away what is stored about a node that has lost its last name.
func (v *Volume) dropIfGone(f *file) {
	if !v.store.has(f.id) {
		return
	}
	if st, err := f.node.Stat(); err == nil && st.Links == 0 {
		v.store.drop(f.identity)
	}
}

// linkFork gives the fork that is beside f a further name, beside the new name of f
// at the path to.
func (f *file) linkFork(ctx context.Context, to string) error {
	n, _, err := f.besideFork()
	if err != nil || n == nil {
		return err
	}
	defer n.Close()
	i := strings.LastIndexByte(to, '/') + 1
	err = f.v.tree.Link(ctx, nil, n, to[:i]+meta.ForkPrefix+to[i:], false, true)
	if vfs.IsKind(err, vfs.KindNameTooLong) || vfs.IsKind(err, vfs.KindInvalidName) || vfs.IsKind(err, vfs.KindExist) {
		return nil // by the new name it has no fork
	}
	return err
}
