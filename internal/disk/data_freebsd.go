package disk

import "golang.org/x/sys/unix"

// Allocate would reserve room without changing the size; the system can't.
func (n *Node) Allocate(off, length int64) error {
	return n.changeData(OpAllocate, func() error { return unix.EOPNOTSUPP })
}

// PunchHole would give blocks back; it is KindUnsupported.
func (n *Node) PunchHole(off, length int64) error {
	return n.changeData(OpAllocate, func() error { return unix.EOPNOTSUPP })
}

// DataSync is Sync without those attributes that are not needed to read the
// data again, such as times.
func (n *Node) DataSync() error {
	return n.sync(func() error {
		_, _, errno := unix.Syscall(unix.SYS_FDATASYNC, uintptr(n.fd), 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	})
}
