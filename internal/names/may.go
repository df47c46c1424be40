package names

import (
	"context"
	"slices"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// What the system once said of a folder's rights is remembered until the
// folder's attributes change, which its watch tells: own changes as well as
// others'. Refusals are not.

// pass is what an account is known to be allowed in a folder.
type pass struct {
	c      *disk.Cred
	rights disk.Rights
}

// maxPasses bounds how many accounts are remembered for a folder.
const maxPasses = 16

// keeper says who else has a say in whose names of a folder may be taken away.
type keeper struct {
	sticky bool // only the owners of the folder and of the node may
	owner  uint32
}

// MayUnlink reports whether c may take the name p away, which stands for a node
// of the given owner.
func (t *Tree) MayUnlink(ctx context.Context, c *disk.Cred, p *Place, owner uint32) bool {
	err := t.do(ctx, c, true, "unlink", "", func(r *request) error {
		d, _, ok := r.locate(p)
		if !ok || d == nil {
			return errorOf(vfs.KindAccess)
		}
		if err := r.enterAll(d); err != nil {
			return err
		}
		if err := r.may(d, disk.MayWrite|disk.MayExecute); err != nil {
			return err
		}
		return r.mayTake(d, owner)
	})
	return err == nil
}

// mayTake returns nil if r's caller, who may change the names of d, may take one
// away that stands for a node of the given owner.
func (r *request) mayTake(d *dir, owner uint32) error {
	if r.isRoot() {
		return nil
	}
	k, err := r.keeper(d)
	if err != nil || !k.sticky {
		return err
	}
	c := r.c
	if c == nil {
		c = disk.Self()
	}
	if c.UID != k.owner && c.UID != owner {
		return errorOf(vfs.KindAccess)
	}
	return nil
}

// isRoot reports whether r is root's, who may everything.
func (r *request) isRoot() bool { return r.c == nil && disk.CanAct() }

// may returns nil if r's caller has the rights to d.
func (r *request) may(d *dir, rights disk.Rights) error {
	if r.isRoot() {
		return nil
	}
	if known := d.passes.Load(); known != nil && slices.ContainsFunc(*known, func(p pass) bool {
		return p.rights&rights == rights && r.isOf(p.c)
	}) {
		return nil
	}
	attrs := d.attrs.Load()
	n, err := r.node(d)
	if err != nil {
		return err
	}
	if err := n.Access(r.c, rights); err != nil {
		return err
	}
	if d.watched() {
		d.rememberPass(pass{r.c, rights}, attrs)
	}
	return nil
}

// isOf reports whether c is r's caller.
func (r *request) isOf(c *disk.Cred) bool {
	if c == r.c {
		return true
	}
	return c != nil && r.c != nil && c.UID == r.c.UID && c.GID == r.c.GID && slices.Equal(c.Groups, r.c.Groups)
}

// keeper returns who keeps the names of d.
func (r *request) keeper(d *dir) (keeper, error) {
	if known := d.keeper.Load(); known != nil {
		return *known, nil
	}
	const sticky = 0o1000
	attrs := d.attrs.Load()
	n, err := r.node(d)
	if err != nil {
		return keeper{}, err
	}
	st, err := n.Stat()
	if err != nil {
		return keeper{}, err
	}
	k := keeper{st.Mode&sticky != 0, st.UID}
	if d.watched() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.attrs.Load() == attrs {
			d.keeper.Store(&k)
		}
	}
	return k, nil
}

// rememberPass notes p, unless d's attributes changed since there were attrs
// changes.
func (d *dir) rememberPass(p pass, attrs uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.attrs.Load() != attrs {
		return
	}
	var known []pass
	if old := d.passes.Load(); old != nil {
		known = (*old)[max(0, len(*old)-maxPasses+1):]
	}
	known = append(slices.Clip(known), p)
	d.passes.Store(&known)
}

// forgetPasses is called when d's attributes changed.
func (d *dir) forgetPasses() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attrs.Add(1)
	d.passes.Store(nil)
	d.keeper.Store(nil)
}
