package memfs

import (
	"strings"
	"unicode/utf8"

	"github.com/dozo-server/dozo/vfs"
)

// maxSymlinks is how many links one walk follows, as on Linux.
const maxSymlinks = 40

// walk is one way through the tree, made while holding FS.mu.
type walk struct {
	fs       *FS
	op, path string // for errors
	caller   *vfs.Caller
	exact    bool // names are found by their exact spelling only
	links    int  // symbolic links followed so far
}

// found is where a walk ended: at a node, by one of its names, or in the
// folder where that name is missing.
type found struct {
	parent *node // nil for the root
	name   string
	entry  *entry // nil for the root and for what is missing
	node   *node  // nil for what is missing
	target *entry // after through: the name of node where the symbolic link entry led to it
}

// fail returns an error of the walk.
func (w *walk) fail(kind vfs.Kind) error {
	return vfs.NewError(w.op, w.path, kind, nil)
}

// walk goes from the root to w.path, whose last component may be missing or a
// symbolic link.
func (w *walk) walk() (found, error) {
	if len(w.path) > maxPath {
		return found{}, w.fail(vfs.KindNameTooLong)
	}
	for rest, more := w.path, w.path != ""; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		if err := w.checkName(name); err != nil {
			return found{}, err
		}
	}
	return w.from(w.fs.root, w.path, false)
}

// from goes from the folder d to path.
func (w *walk) from(d *node, path string, follow bool) (found, error) {
	at := foundDir(d)
	for more := path != ""; more; {
		var name string
		name, path, more = strings.Cut(path, "/")
		if at.node == nil || at.node.typ != vfs.TypeDir {
			return found{}, w.fail(vfs.KindPathNotExist)
		}
		if !w.fs.modeAccess(w.caller, at.node).Has(vfs.Traverse) {
			return found{}, w.fail(vfs.KindAccess)
		}
		// The target of a symbolic link may be written in any way.
		switch {
		case name == "" || name == ".":
			continue
		case name == ".." && at.parent == nil:
			return found{}, w.fail(vfs.KindOutside)
		case name == "..":
			at = foundDir(at.parent)
			continue
		}
		e := w.fs.find(at.node, name, w.exact)
		switch {
		case e == nil:
			at = found{parent: at.node, name: name}
		case e.node.typ == vfs.TypeSymlink && (more || follow):
			var err error
			if at, err = w.follow(at.node, e.node.target); err != nil {
				return found{}, err
			}
		default:
			at = found{parent: at.node, name: e.name, entry: e, node: e.node}
		}
	}
	return at, nil
}

// follow goes where a symbolic link in d leads to.
func (w *walk) follow(d *node, target string) (found, error) {
	if w.links++; w.links > maxSymlinks {
		return found{}, w.fail(vfs.KindLoop)
	}
	if strings.HasPrefix(target, "/") {
		return found{}, w.fail(vfs.KindOutside)
	}
	return w.from(d, target, true)
}

// through goes on from a symbolic link to what it leads to, which the link then
// is the name of. at stays as it is if the link leads nowhere: KindNotExist, or
// KindAccess where w.caller may not go.
func (w *walk) through(at *found) error {
	if at.node == nil || at.node.typ != vfs.TypeSymlink {
		return nil
	}
	to, err := w.follow(at.parent, at.node.target)
	switch {
	case vfs.IsKind(err, vfs.KindAccess):
		return err
	case err != nil || to.node == nil:
		return vfs.NewError(w.op, w.path, vfs.KindNotExist, err)
	}
	at.node, at.target = to.node, to.entry
	return nil
}

func foundDir(d *node) found {
	if d.self == nil {
		return found{node: d}
	}
	return found{parent: d.self.parent, name: d.self.name, entry: d.self, node: d}
}

// checkName refuses what can't be the name of anything.
func (w *walk) checkName(name string) error {
	if name == "" || name == "." || name == ".." || strings.IndexByte(name, 0) >= 0 {
		return w.fail(vfs.KindInvalidName)
	}
	if len(name) > maxName && units(name) > maxName {
		return w.fail(vfs.KindNameTooLong)
	}
	return nil
}

// units returns the length of name in UTF-16. Each byte that is no UTF-8 counts
// as one.
func units(name string) int {
	n := 0
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if n++; r >= 1<<16 {
			n++ // a pair of surrogates
		}
		i += size
	}
	return n
}
