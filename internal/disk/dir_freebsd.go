package disk

import "golang.org/x/sys/unix"

func unlinkat(dir int, name string, flags int) error { return unix.Unlinkat(dir, name, flags) }

// renameat has no call that refuses to replace: between the look and the
// rename another program may come. The floors above hold a lock against their
// own.
func renameat(dir int, name string, toDir int, toName string, noReplace bool) error {
	if noReplace {
		var st unix.Stat_t
		if err := unix.Fstatat(toDir, toName, &st, unix.AT_SYMLINK_NOFOLLOW); err != unix.ENOENT {
			if err == nil {
				err = unix.EEXIST
			}
			return err
		}
	}
	return unix.Renameat(dir, name, toDir, toName)
}

// LinkNode makes newName in dir a further name of the open file n, whatever
// its own name is by now.
func (n *Node) LinkNode(c *Cred, dir *Node, newName string) error {
	const atEmptyPath = 0x4000
	if err := n.begin(OpLink, ""); err != nil {
		return err
	}
	defer n.end()
	return dir.at(c, OpLink, newName, func() error {
		return unix.Linkat(n.fd, "", dir.fd, newName, atEmptyPath)
	})
}
