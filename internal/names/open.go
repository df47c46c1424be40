package names

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Open opens what stands at path with the rights of c. It follows a symbolic
// link at the end unless how has disk.NoFollow: then the link itself is opened,
// as disk.PathOnly. how must not have disk.Create, disk.Exclusive or
// disk.Truncate.
func (t *Tree) Open(ctx context.Context, c *disk.Cred, path string, how disk.How, exact bool) (n *disk.Node, p *Place, err error) {
	err = t.do(ctx, c, exact, "open", path, func(r *request) error {
		d, name, err := r.walk(t.root, path)
		for err == nil {
			var target string
			n, p, target, err = r.openIn(d, name, how)
			if err != nil || target == "" {
				return err
			}
			if d, target, err = r.follow(d, target, ""); err == nil {
				d, name, err = r.walk(d, target)
			}
		}
		return err
	})
	return n, p, err
}

// openIn opens name in d, or returns where the symbolic link there points.
func (r *request) openIn(d *dir, name string, how disk.How) (*disk.Node, *Place, string, error) {
	dn, err := r.node(d)
	if err != nil {
		return nil, nil, "", err
	}
	if name == "" {
		n, err := dn.Open(r.c, ".", how)
		if err != nil {
			return nil, nil, "", err
		}
		return n, r.t.placeOf(d), "", nil
	}
	if name, err = onDisk(name); err != nil {
		return nil, nil, "", errNotExist
	}
	if r.hides(d, name) {
		return nil, nil, "", errNotExist
	}

	how.Flags |= disk.NoSymlinks
	n, stored, err := r.openAny(d, dn, name, how)
	if vfs.IsKind(err, vfs.KindLoop) { // a symbolic link
		if !how.Flags.Has(disk.NoFollow) {
			target, err := dn.Readlink(r.c, stored)
			return nil, nil, target, err
		}
		how.Flags = how.Flags&^(disk.Read|disk.Write) | disk.PathOnly
		if n, err = dn.Open(r.c, stored, how); err == nil {
			n, stored, err = r.asStored(d, dn, n, stored, how)
		}
	}
	if err != nil {
		return nil, nil, "", err
	}
	return n, r.t.place(d, stored), "", nil
}

// openAny opens name in d: the exact spelling, or else one that folds alike,
// and returns how it is stored. An index is asked first if there is one: it
// tells at no cost that nothing is there.
func (r *request) openAny(d *dir, dn *disk.Node, name string, how disk.How) (n *disk.Node, stored string, err error) {
	const tries = 4
	for range tries {
		stored = name
		searched := d.indexed()
		if searched {
			f, err := r.find(d, name)
			if err != nil {
				return nil, "", err
			}
			stored = f.name
		}
		n, err = dn.Open(r.c, stored, how)
		if vfs.IsKind(err, vfs.KindNotExist) && !searched && !r.exactly(name) {
			f, findErr := r.find(d, name)
			if findErr != nil {
				return nil, "", notFound(err, findErr)
			}
			searched, stored = true, f.name
			n, err = dn.Open(r.c, stored, how)
		}
		switch {
		case err == nil && !searched:
			return r.asStored(d, dn, n, stored, how)
		case !searched || !vfs.IsKind(err, vfs.KindNotExist):
			return n, stored, err
		}
		d.mustCheck([]byte(stored)) // it went this very moment
	}
	d.invalid.Store(true)
	return nil, "", err
}

// notFound is the error for a name that is not there in the spelling asked for,
// as err says, nor found in another, as findErr says. A folder that can't be
// read has exact names only.
func notFound(err, findErr error) error {
	if vfs.IsKind(findErr, vfs.KindAccess) {
		return err
	}
	return findErr
}

// asStored returns n, which opened as name in d, and how that is stored. If it
// is stored otherwise it is opened once more by that name: to some disks each
// spelling is a node.
func (r *request) asStored(d *dir, dn, n *disk.Node, name string, how disk.How) (*disk.Node, string, error) {
	stored, err := r.spelling(d, dn, name)
	if err == nil && stored == name {
		return n, name, nil
	}
	n.Close()
	if err == nil {
		n, err = dn.Open(r.c, stored, how)
	}
	if err != nil {
		return nil, "", err
	}
	return n, stored, nil
}

// placeOf returns the Place of a folder.
func (t *Tree) placeOf(d *dir) *Place {
	t.shape.Lock()
	defer t.shape.Unlock()
	if d.parent == nil {
		return t.rootPlace()
	}
	return t.placeIn(d.parent, d.name)
}
