package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// LockRange sets the lock of n on length bytes from off (0 is all that follow)
// against other programs and other nodes; it does not wait. KindLocked when
// another holds it. The locks of a node end when it is closed.
func (n *Node) LockRange(kind LockKind, off, length int64) error {
	if err := n.begin(OpLock, ""); err != nil {
		return err
	}
	defer n.end()
	l := unix.Flock_t{Type: int16(kind), Whence: unix.SEEK_SET, Start: off, Len: length}
	err := unix.FcntlFlock(uintptr(n.fd), unix.F_OFD_SETLK, &l)
	if err == unix.EAGAIN || err == unix.EACCES {
		return vfs.NewError(string(OpLock), n.name, vfs.KindLocked, err)
	}
	return fail(OpLock, n.name, err)
}
