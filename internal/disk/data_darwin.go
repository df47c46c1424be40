package disk

import (
	"golang.org/x/sys/unix"
)

// Allocate reserves room for length bytes from off, without changing the size.
func (n *Node) Allocate(off, length int64) error {
	return n.changeData(OpAllocate, func() error {
		st, err := fstat(n.fd)
		if err != nil || off+length <= st.Allocated {
			return err
		}
		store := unix.Fstore_t{Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: off + length - st.Allocated}
		return unix.FcntlFstore(uintptr(n.fd), unix.F_PREALLOCATE, &store)
	})
}

// PunchHole would give blocks back; it is KindUnsupported.
func (n *Node) PunchHole(off, length int64) error {
	return n.changeData(OpAllocate, func() error { return unix.EOPNOTSUPP })
}

// DataSync is Sync.
func (n *Node) DataSync() error { return n.Sync() }
