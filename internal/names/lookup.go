package names

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Entry is a name in a folder.
type Entry struct {
	Name  string   // as stored; use it with the folder's disk.Node
	Shown string   // as clients see it: Name, with private characters, or an alias
	Type  vfs.Type // 0 when the file system does not tell
}

// Lookup finds one entry of the folder at dir, without opening it. c must be
// allowed to search the folder.
func (t *Tree) Lookup(ctx context.Context, c *disk.Cred, dir *Place, name string, exact bool) (e Entry, err error) {
	err = t.do(ctx, c, exact, "look up", name, func(r *request) error {
		d, err := r.folder(dir)
		if err != nil {
			return err
		}
		f, err := r.lookup(d, name)
		if err != nil {
			return err
		}
		e = Entry{f.name, f.shown, f.typ}
		return r.shows(d, f.name)
	})
	return e, err
}

// shows is KindNotExist for an entry that listings of d leave out.
func (r *request) shows(d *dir, name string) error {
	if !strings.HasPrefix(name, besidePrefix) {
		return nil
	}
	n, err := r.node(d)
	if err == nil && r.t.isBeside(n, name) {
		err = errNotExist
	}
	return err
}

// folder returns the folder at p, entered.
func (r *request) folder(p *Place) (*dir, error) {
	d, name, ok := r.locate(p)
	switch {
	case !ok:
		return nil, errNotExist
	case d == nil:
		return r.t.root, r.enter(r.t.root)
	}
	if err := r.enterAll(d); err != nil {
		return nil, err
	}
	next, _, err := r.into(d, name)
	switch {
	case err != nil:
		return nil, err
	case next == nil:
		return nil, errorOf(vfs.KindNotDir)
	}
	return next, r.enter(next)
}

// lookup finds name in d, which was entered.
func (r *request) lookup(d *dir, name string) (found, error) {
	name, err := onDisk(name)
	if err != nil || r.hides(d, name) {
		return found{}, errNotExist
	}
	if d.indexed() {
		return r.find(d, name)
	}
	n, err := r.node(d)
	if err != nil {
		return found{}, err
	}
	st, err := n.StatAt(name)
	if err == nil {
		name, err = r.spelling(d, n, name)
		return onDiskOnly(name, st.Type), err
	}
	if r.exactly(name) || !vfs.IsKind(err, vfs.KindNotExist) {
		return found{}, err
	}
	f, findErr := r.find(d, name)
	if findErr != nil {
		findErr = notFound(err, findErr)
	}
	return f, findErr
}
