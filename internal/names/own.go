package names

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Own is the folder in the root of a share that holds what the server keeps beside
// the files, where no client sees it. Paths are below it; all is done as the
// process, and symbolic links are not followed.
type Own struct{ t *Tree }

// Own returns the server's own folder, which need not be there.
func (t *Tree) Own() Own { return Own{t} }

// Open opens what is at path.
func (o Own) Open(path string, flags disk.Flags) (*disk.Node, error) {
	return o.t.openOwn(ownFolder+"/"+path, flags)
}

func (t *Tree) openOwn(path string, flags disk.Flags) (n *disk.Node, err error) {
	err = t.inRoot("open", path, func(root *disk.Node) error {
		n, err = root.Open(nil, path, disk.How{Flags: flags | disk.NoFollow | disk.NoSymlinks})
		return err
	})
	return n, err
}

// inRoot runs do with the root.
func (t *Tree) inRoot(op, path string, do func(root *disk.Node) error) error {
	return t.do(context.Background(), nil, true, op, path, func(r *request) error {
		n, err := r.node(t.root)
		if err != nil {
			return err
		}
		return do(n)
	})
}

// Mkdir makes the folder at path and those above it, unless they are there, and
// lets made see each new one.
func (o Own) Mkdir(path string, made func(*disk.Node) error) error {
	if err := o.makeRoot(made); err != nil {
		return err
	}
	at := ""
	for part := range strings.SplitSeq(path, "/") {
		err := o.in(at, func(n *disk.Node) error {
			err := n.Mkdir(nil, part, 0o700)
			if err != nil {
				return err
			}
			return openNew(n, part, made)
		})
		if err != nil && !vfs.IsKind(err, vfs.KindExist) {
			return err
		}
		at = strings.TrimPrefix(at+"/"+part, "/")
	}
	return nil
}

// makeRoot makes the folder itself, in the root of the share.
func (o Own) makeRoot(made func(*disk.Node) error) error {
	err := o.t.do(context.Background(), nil, true, "mkdir", ownFolder, func(r *request) error {
		d := o.t.root
		if err := r.enter(d); err != nil {
			return err
		}
		d.content.Lock()
		defer d.content.Unlock()
		return r.makeIn(d, ownFolder, vfs.TypeDir, func(n *disk.Node, name string) (*disk.Node, error) {
			if err := n.Mkdir(nil, name, 0o700); err != nil {
				return nil, err
			}
			return nil, openNew(n, name, made)
		})
	})
	if vfs.IsKind(err, vfs.KindExist) {
		return nil
	}
	return err
}

// openNew lets made see the folder name in n.
func openNew(n *disk.Node, name string, made func(*disk.Node) error) error {
	sub, err := n.Open(nil, name, disk.How{Flags: disk.Read | disk.Directory | disk.NoFollow})
	if err != nil {
		return err
	}
	defer sub.Close()
	return made(sub)
}

// in runs do with the folder at path.
func (o Own) in(path string, do func(*disk.Node) error) error {
	n, err := o.Open(path, disk.Read|disk.Directory)
	if err != nil {
		return err
	}
	defer n.Close()
	return do(n)
}

// Create makes a file that was not there.
func (o Own) Create(path string) (made *disk.Node, err error) {
	dir, name := split(path)
	err = o.in(dir, func(n *disk.Node) error {
		how := disk.How{Flags: disk.Read | disk.Write | disk.Create | disk.Exclusive | disk.NoFollow, Mode: 0o600}
		made, err = n.Open(nil, name, how)
		return err
	})
	return made, err
}

// Rename renames an entry of a folder, in place of what has the new name.
func (o Own) Rename(path, name string) error {
	dir, old := split(path)
	return o.in(dir, func(n *disk.Node) error { return n.Rename(nil, old, n, name, false) })
}

// Remove takes away a file, or a folder if it is empty.
func (o Own) Remove(path string, isDir bool) error {
	dir, name := split(path)
	return o.in(dir, func(n *disk.Node) error { return n.Remove(nil, name, isDir) })
}

// List returns the names in a folder.
func (o Own) List(path string) (names []string, err error) {
	err = o.in(path, func(n *disk.Node) error {
		return readAll(n, func(e disk.DirEntry) { names = append(names, string(e.Name)) })
	})
	return names, err
}

func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}
