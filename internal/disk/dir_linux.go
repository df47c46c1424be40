package disk

import (
	"strconv"

	"golang.org/x/sys/unix"
)

func renameat(dir int, name string, toDir int, toName string, noReplace bool) error {
	var flags uint
	if noReplace {
		flags = unix.RENAME_NOREPLACE
	}
	return renameat2(dir, name, toDir, toName, flags)
}

// LinkNode makes newName in dir a further name of the open file n, whatever
// its own name is by now.
func (n *Node) LinkNode(c *Cred, dir *Node, newName string) error {
	if err := n.begin(OpLink, ""); err != nil {
		return err
	}
	defer n.end()
	// Linking a descriptor directly (AT_EMPTY_PATH) needs a privilege that
	// linking its entry in /proc does not.
	return dir.at(c, OpLink, newName, func() error {
		return unix.Linkat(unix.AT_FDCWD, n.procPath(), dir.fd, newName, unix.AT_SYMLINK_FOLLOW)
	})
}

// procPath is a path to the open node itself, for calls that take no
// descriptor, or none that was opened with PathOnly.
func (n *Node) procPath() string { return "/proc/self/fd/" + strconv.Itoa(n.fd) }
