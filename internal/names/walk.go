package names

import (
	"strings"

	"github.com/dozo-server/dozo/vfs"
)

// maxLinks is how many symbolic links one request follows, as in Linux.
const maxLinks = 40

// walk leads from d along path to the folder that holds its last component,
// and returns both; the folder was entered. The last component is "" when path
// ends in the folder itself.
func (r *request) walk(d *dir, path string) (*dir, string, error) {
	for {
		var name string
		name, path = cut(path)
		if name == ".." {
			up, err := r.above(d)
			if err != nil {
				return nil, "", err
			}
			d = up
			continue
		}
		if path == "" {
			return d, name, r.enter(d)
		}
		next, target, err := r.step(d, name)
		switch {
		case err != nil:
			return nil, "", onTheWay(err)
		case next != nil:
			d = next
		default:
			if d, path, err = r.follow(d, target, path); err != nil {
				return nil, "", err
			}
		}
	}
}

// cut takes the first component off path. Empty ones and "." are passed over.
func cut(path string) (name, rest string) {
	for path != "" && name == "" {
		name, path, _ = strings.Cut(path, "/")
		if name == "." {
			name = ""
		}
	}
	for strings.HasPrefix(path, "/") {
		path = path[1:]
	}
	return name, path
}

// onTheWay is the error for a component on the way that can't be walked
// through.
func onTheWay(err error) error {
	switch vfs.KindOf(err) {
	case vfs.KindNotExist, vfs.KindNotDir:
		return vfs.NewError("", "", vfs.KindPathNotExist, cause(err))
	}
	return err
}

// above returns the folder that d is in. Only links lead upwards.
func (r *request) above(d *dir) (*dir, error) {
	r.t.shape.RLock()
	defer r.t.shape.RUnlock()
	if d.parent == nil {
		return nil, errorOf(vfs.KindOutside)
	}
	r.pin(d.parent)
	return d.parent, nil
}

// follow returns where a symbolic link in d leads: a folder to go on from and
// the path from there, with rest behind it.
func (r *request) follow(d *dir, target, rest string) (*dir, string, error) {
	if r.links++; r.links > maxLinks {
		return nil, "", errorOf(vfs.KindLoop)
	}
	if strings.HasPrefix(target, "/") {
		below, ok := strings.CutPrefix(target, strings.TrimSuffix(r.t.o.Path, "/"))
		if !ok || r.t.o.Path == "" || below != "" && below[0] != '/' {
			return nil, "", errorOf(vfs.KindOutside)
		}
		d, target = r.t.root, below
	}
	if rest != "" {
		target += "/" + rest
	}
	return d, target, nil
}

// step leads from d through its entry name: to the folder it is, or, when it
// is a symbolic link, to where that points.
func (r *request) step(d *dir, name string) (next *dir, target string, err error) {
	if err := r.enter(d); err != nil {
		return nil, "", err
	}
	name, err = onDisk(name)
	if err != nil {
		return nil, "", errNotExist
	}
	if r.hides(d, name) {
		return nil, "", errNotExist
	}
	if next := r.child(d, name); next != nil && r.isStill(d, name, next) {
		return next, "", nil
	}
	searched := d.indexed()
	if searched {
		f, err := r.find(d, name)
		if err != nil {
			return nil, "", err
		}
		name = f.name
	}
	next, target, err = r.into(d, name)
	if !vfs.IsKind(err, vfs.KindNotExist) || r.exactly(name) || searched {
		return next, target, err
	}
	f, findErr := r.find(d, name)
	if findErr != nil {
		return nil, "", notFound(err, findErr)
	}
	return r.into(d, f.name)
}

// into opens the folder stored as name in d, or reads the link.
func (r *request) into(d *dir, name string) (*dir, string, error) {
	if next := r.child(d, name); next != nil && r.isStill(d, name, next) {
		return next, "", nil
	}
	moves, mounts := d.moves.Load(), r.t.mounts.Load()
	n, err := r.node(d)
	if err != nil {
		return nil, "", err
	}
	sub, err := openFolder(n, name)
	if err == nil {
		stored, err := r.spelling(d, n, name)
		switch {
		case err != nil:
			sub.Close()
			return nil, "", err
		case stored != name:
			sub.Close()
			return r.into(d, stored)
		}
		next, err := r.attach(d, name, sub, moves, mounts)
		return next, "", err
	}
	switch vfs.KindOf(err) {
	case vfs.KindNotDir, vfs.KindLoop:
		target, linkErr := n.Readlink(nil, name)
		if linkErr != nil {
			return nil, "", errorOf(vfs.KindNotDir)
		}
		return nil, target, nil
	}
	return nil, "", err
}

// isStill reports whether next, which was name in d, still is. If d is watched
// it is: events would have said so, but for a mount.
func (r *request) isStill(d *dir, name string, next *dir) bool {
	mounts := r.t.mounts.Load()
	if d.watched() && next.mounts.Load() == mounts {
		return true
	}
	if n, err := r.node(d); err == nil {
		if st, err := n.StatAt(name); err == nil && st.Dev == next.id.dev && st.Ino == next.ino {
			next.mounts.Store(mounts)
			return true
		}
	}
	r.t.shape.Lock()
	next.detach()
	r.t.shape.Unlock()
	return false
}

// hides reports whether name in d is the server's own folder.
func (r *request) hides(d *dir, name string) bool { return d == r.t.root && isOwnFolder(name) }

// ownFolder in the root of a share holds what the server keeps beside the
// files. No client sees it.
const ownFolder = ".dozo"

func isOwnFolder(name string) bool {
	return len(name) == len(ownFolder) && strings.EqualFold(name, ownFolder)
}
