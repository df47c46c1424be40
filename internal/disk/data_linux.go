package disk

import "golang.org/x/sys/unix"

// Allocate reserves room for length bytes from off, without changing the size.
func (n *Node) Allocate(off, length int64) error {
	return n.changeData(OpAllocate, func() error {
		return unix.Fallocate(n.fd, unix.FALLOC_FL_KEEP_SIZE, off, length)
	})
}

// PunchHole gives the blocks of length bytes from off back; they read as zeros.
func (n *Node) PunchHole(off, length int64) error {
	return n.changeData(OpAllocate, func() error {
		return unix.Fallocate(n.fd, unix.FALLOC_FL_KEEP_SIZE|unix.FALLOC_FL_PUNCH_HOLE, off, length)
	})
}

// DataSync is Sync without those attributes that are not needed to read the
// data again, such as times.
func (n *Node) DataSync() error { return n.sync(func() error { return unix.Fdatasync(n.fd) }) }
