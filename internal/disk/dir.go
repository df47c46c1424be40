package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// at makes a call about the entry name of the folder n, as c. The name is one
// component, so the call can't leave n.
func (n *Node) at(c *Cred, op Op, name string, call func() error) error {
	if !isComponent(name) {
		return vfs.NewError(string(op), name, vfs.KindInvalidName, nil)
	}
	if err := n.begin(op, name); err != nil {
		return err
	}
	defer n.end()
	if err := n.guardEntry(c, op, name); err != nil {
		return fail(op, name, err)
	}
	return fail(op, name, c.act(call))
}

// make is at for a call that makes the entry.
func (n *Node) make(c *Cred, op Op, name string, call func() error) error {
	return n.at(c, op, name, func() error {
		if err := call(); err != nil {
			return err
		}
		return n.give(c, name)
	})
}

// isComponent reports whether name is an entry's: not empty, "." or "..", and
// without "/" and NUL.
func isComponent(name string) bool {
	if name == "" || name == "." || name == ".." {
		return false
	}
	for i := range len(name) {
		if name[i] == '/' || name[i] == 0 {
			return false
		}
	}
	return true
}

// Mkdir makes the folder name in n.
func (n *Node) Mkdir(c *Cred, name string, mode uint32) error {
	err := n.make(c, OpMkdir, name, func() error { return unix.Mkdirat(n.fd, name, mode&0o7777) })
	return n.tell(err, Call{Op: OpMkdir, Path: name})
}

// Symlink makes the symbolic link name in n. Where it points is not looked at:
// one that leads out of the share can be made but not followed.
func (n *Node) Symlink(c *Cred, target, name string) error {
	return n.make(c, OpSymlink, name, func() error { return unix.Symlinkat(target, n.fd, name) })
}

// Readlink returns where the symbolic link name in n points.
func (n *Node) Readlink(c *Cred, name string) (string, error) {
	var target string
	err := n.at(c, OpReadlink, name, func() (err error) {
		target, err = readlinkat(n.fd, name)
		return err
	})
	return target, err
}

// ReadlinkSelf returns where the symbolic link that n is points; n was opened
// with PathOnly and NoFollow.
func (n *Node) ReadlinkSelf() (string, error) {
	if err := n.begin(OpReadlink, ""); err != nil {
		return "", err
	}
	defer n.end()
	target, err := readlinkat(n.fd, "")
	return target, fail(OpReadlink, n.name, err)
}

func readlinkat(dir int, name string) (string, error) {
	buf := make([]byte, 4096) // PATH_MAX: no system's links are longer
	k, err := unix.Readlinkat(dir, name, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:k]), nil
}

// Remove takes the entry name out of n: a folder if isDir, else anything else.
func (n *Node) Remove(c *Cred, name string, isDir bool) error {
	flags := 0
	if isDir {
		flags = unix.AT_REMOVEDIR
	}
	err := n.at(c, OpRemove, name, func() error { return unlinkat(n.fd, name, flags) })
	if isDir && Errno(err) == unix.EEXIST { // some systems say so
		err = fail(OpRemove, name, unix.ENOTEMPTY)
	}
	return n.tell(err, Call{Op: OpRemove, Path: name})
}

// Rename moves the entry name of n to toName in to. What is there is replaced,
// a folder only if it is empty; with noReplace it is KindExist.
func (n *Node) Rename(c *Cred, name string, to *Node, toName string, noReplace bool) error {
	return n.both(c, OpRename, name, to, toName, func() error {
		return renameat(n.fd, name, to.fd, toName, noReplace)
	})
}

// Link makes newName in dir a further name of the entry name of n.
func (n *Node) Link(c *Cred, name string, dir *Node, newName string) error {
	return n.both(c, OpLink, name, dir, newName, func() error {
		return unix.Linkat(n.fd, name, dir.fd, newName, 0)
	})
}

// both is at for a call about an entry of each of two folders.
func (n *Node) both(c *Cred, op Op, name string, to *Node, toName string, call func() error) error {
	if !isComponent(toName) {
		return vfs.NewError(string(op), toName, vfs.KindInvalidName, nil)
	}
	if err := to.begin(op, toName); err != nil {
		return err
	}
	defer to.end()
	if err := to.guardEntry(c, op, toName); err != nil {
		return fail(op, toName, err)
	}
	err := n.at(c, op, name, call)
	if n.faults == nil {
		return err
	}
	return n.tell(err, Call{Op: op, Path: name, To: join(to.name, toName)})
}
