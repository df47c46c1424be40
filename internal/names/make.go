package names

import (
	"context"
	"strings"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/fold"
	"github.com/dozo-server/dozo/vfs"
)

// Create makes a file that was not there and opens it; disk.Create and
// disk.Exclusive are added to how. KindExist when a name that compares equal is
// there, also when a local process made it this very moment: whoever wants that
// one asks Open again.
func (t *Tree) Create(ctx context.Context, c *disk.Cred, path string, how disk.How, exact bool) (n *disk.Node, p *Place, err error) {
	how.Flags |= disk.Create | disk.Exclusive | disk.NoFollow
	p, err = t.make(ctx, c, "create", path, exact, vfs.TypeFile, func(dn *disk.Node, name string) (made *disk.Node, err error) {
		n, err = dn.Open(c, name, how)
		return n, err
	})
	return keep(n, p, err)
}

// Mkdir makes a folder with the permission bits how.Mode and opens it.
func (t *Tree) Mkdir(ctx context.Context, c *disk.Cred, path string, how disk.How, exact bool) (n *disk.Node, p *Place, err error) {
	p, err = t.make(ctx, c, "mkdir", path, exact, vfs.TypeDir, func(dn *disk.Node, name string) (made *disk.Node, err error) {
		if err = dn.Mkdir(c, name, how.Mode); err != nil {
			return nil, err
		}
		n, err = dn.Open(c, name, disk.How{Flags: how.Flags | disk.Directory | disk.NoFollow})
		return n, openedLater(err)
	})
	return keep(n, p, err)
}

// Symlink makes a symbolic link whose content is target and opens the link
// itself, as disk.PathOnly.
func (t *Tree) Symlink(ctx context.Context, c *disk.Cred, path, target string, exact bool) (n *disk.Node, p *Place, err error) {
	p, err = t.make(ctx, c, "symlink", path, exact, vfs.TypeSymlink, func(dn *disk.Node, name string) (made *disk.Node, err error) {
		if err = dn.Symlink(c, target, name); err != nil {
			return nil, err
		}
		n, err = dn.Open(c, name, disk.How{Flags: disk.PathOnly | disk.NoFollow})
		return n, openedLater(err)
	})
	return keep(n, p, err)
}

// openedLater is the error of opening what was just made. That it is gone
// already must not look as if it had never been possible to make it.
func openedLater(err error) error {
	if vfs.IsKind(err, vfs.KindNotExist) {
		return vfs.NewError("", "", vfs.KindStale, err)
	}
	return err
}

// keep returns what was made, or closes it when it failed after all.
func keep(n *disk.Node, p *Place, err error) (*disk.Node, *Place, error) {
	if err != nil && n != nil {
		n.Close()
		n = nil
	}
	return n, p, err
}

// make runs do, which makes the entry name in the folder dn, when no name that
// compares equal is there; do returns what it made, opened, if it could.
func (t *Tree) make(ctx context.Context, c *disk.Cred, op, path string, exact bool, typ vfs.Type, do func(dn *disk.Node, name string) (*disk.Node, error)) (p *Place, err error) {
	err = t.do(ctx, c, exact, op, path, func(r *request) error {
		d, name, err := r.target(path)
		if err != nil {
			return err
		}
		d.content.Lock()
		defer d.content.Unlock()
		if err := r.mustBeFree(d, name); err != nil {
			return err
		}
		name = r.tunneled(d, name)
		if err := r.makeIn(d, name, typ, do); err != nil {
			return err
		}
		p = t.place(d, name)
		return nil
	})
	return p, err
}

// target leads to the folder of a name that is to be made, and returns how it
// will be spelled on disk.
func (r *request) target(path string) (*dir, string, error) {
	d, name, err := r.walk(r.t.root, path)
	if err != nil {
		return nil, "", err
	}
	if name == "" {
		return nil, "", errExist // the root
	}
	if name, err = onDisk(name); err != nil {
		return nil, "", err
	}
	if r.hides(d, name) {
		return nil, "", errorOf(vfs.KindAccess)
	}
	return d, r.t.o.spell(name), nil
}

// mustBeFree is KindExist when a name that compares equal to name is in d. It
// runs with content held exclusively.
func (r *request) mustBeFree(d *dir, name string) error {
	if r.exactly(name) {
		n, err := r.node(d)
		if err == nil {
			d.clock.writes(n)
		}
		return err // of the name the system call will tell
	}
	switch _, err := r.findHere(d, name); {
	case err == nil:
		return errExist
	case vfs.IsKind(err, vfs.KindNotExist), vfs.IsKind(err, vfs.KindAccess):
		return nil // a folder that can't be read has exact names only
	default:
		return err
	}
}

// findHere is find for those who hold content exclusively.
func (r *request) findHere(d *dir, name string) (found, error) {
	if err := r.ensure(d); err != nil {
		return found{}, err
	}
	return r.lookIn(d, name)
}

// makeIn makes name in d and notes it. It runs with content held exclusively.
func (r *request) makeIn(d *dir, name string, typ vfs.Type, do func(dn *disk.Node, name string) (*disk.Node, error)) error {
	dn, err := r.node(d)
	if err != nil {
		return err
	}
	watch := d.begin(r.t.fold, name)
	made, err := do(dn, name)
	d.end(watch)
	d.clock.wrote(dn)
	switch {
	case vfs.IsKind(err, vfs.KindExist):
		if !r.mayFold(d) {
			d.mustCheck([]byte(name)) // a local process made it this moment
		}
		return err
	case vfs.IsKind(err, vfs.KindNotExist):
		return r.gone(d)
	case err != nil:
		d.mustCheck([]byte(name)) // it may have been made and not opened
		return err
	}
	d.changes.Add(1)
	if r.mayBeAnothers(d, name, made) {
		d.invalid.Store(true)
		return errExist
	}
	d.entered(name, typ)
	r.tryFolding(d, dn, name)
	if watch.before != "" && !r.exact && r.withdraw(d, dn, name, made, watch.before) {
		return errExist
	}
	return nil
}

// mayBeAnothers reports whether what was made as name is a file that was there
// under a spelling that only the disk takes for the same. ZFS that normalizes
// lets that happen, when it remembers that nothing was there by name.
func (r *request) mayBeAnothers(d *dir, name string, made *disk.Node) bool {
	if made == nil || !r.mayFold(d) || d.names != nil && d.names.odd == 0 && !isOdd(name) {
		return false
	}
	st, err := made.Stat()
	return err == nil && st.Type == vfs.TypeFile && (st.Size > 0 || st.Links > 1)
}

// withdraw undoes the making of name, because a local process had made the
// other spelling an instant before, and reports whether it could: only what
// nobody else can have used yet goes.
func (r *request) withdraw(d *dir, dn *disk.Node, name string, made *disk.Node, other string) bool {
	theirs, err := dn.StatAt(other)
	if err != nil || made == nil {
		return false // it is gone again
	}
	ours, err := made.Stat()
	if err != nil || sameNode(theirs, ours) && r.mayFold(d) {
		return false // it is gone again, and the disk takes ours for it
	}
	now, err := dn.StatAt(name)
	if err != nil || now.Ino != ours.Ino || now.Dev != ours.Dev {
		return false
	}
	isDir := now.Type == vfs.TypeDir
	if now.Type == vfs.TypeFile && (now.Size > 0 || now.Links != 1) {
		return false
	}
	if err := dn.Remove(nil, name, isDir); err != nil {
		return false
	}
	d.clock.wrote(dn)
	d.removed(name)
	r.t.counts.withdrawn.Add(1)
	return true
}

// spell returns the spelling that a new name gets.
func (o *Options) spell(name string) string {
	if !o.ChangeCase && !(o.ChangeShortCase && isShort(name) && !hasLowerCase(name)) || !fold.IsText(name) {
		return name
	}
	table := lowerCase()
	if o.DefaultUpper {
		table = upperCase()
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := fold.Decode(name[i:])
		if other, ok := table[r]; ok {
			b.WriteRune(other)
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// upperCase is Windows' table and lowerCase its inverse, so that a name keeps
// its key.
var upperCase = sync.OnceValue(fold.UpperCase)

var lowerCase = sync.OnceValue(func() map[rune]rune {
	lower := map[rune]rune{}
	for l, u := range fold.UpperCase() {
		lower[u] = l
	}
	return lower
})

// hasLowerCase reports whether name holds small letters of ASCII.
func hasLowerCase(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return 'a' <= r && r <= 'z' })
}
