//go:build freebsd || darwin

package disk

import "golang.org/x/sys/unix"

// LockRange is KindUnsupported: the locks of these systems belong to the
// process, and any close of the file by it would end them all.
func (n *Node) LockRange(kind LockKind, off, length int64) error {
	if err := n.begin(OpLock, ""); err != nil {
		return err
	}
	defer n.end()
	return fail(OpLock, n.name, unix.EOPNOTSUPP)
}
