package disk

import (
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// Stat is what the system knows about a node.
type Stat struct {
	Type      vfs.Type
	Mode      uint32 // permission bits, 07777
	UID, GID  uint32
	Links     uint32
	Size      int64
	Allocated int64  // bytes on the disk
	Ino       uint64 // given again once the node is gone
	Dev       uint64 // of the file system, until it is unmounted
	Gen       uint32 // tells apart nodes that had the same Ino, where the system says

	Birth, Modified, Changed, Accessed time.Time // Birth is zero where it is not known
}

// Stat returns what the system knows about n.
func (n *Node) Stat() (Stat, error) {
	if err := n.begin(OpStat, ""); err != nil {
		return Stat{}, err
	}
	defer n.end()
	st, err := fstat(n.fd)
	return st, fail(OpStat, n.name, err)
}

// StatAt returns what the system knows about the entry name of n, which it
// does not follow if it is a symbolic link. It acts as the process.
func (n *Node) StatAt(name string) (st Stat, err error) {
	err = n.at(nil, OpStat, name, func() (err error) {
		st, err = fstatat(n.fd, name)
		return err
	})
	return st, err
}

// ChangeTime returns when n was last changed, attributes included. For a
// folder this is the time of the last change of its entries, too.
func (n *Node) ChangeTime() (time.Time, error) {
	if err := n.begin(OpStat, ""); err != nil {
		return time.Time{}, err
	}
	defer n.end()
	t, err := changeTime(n.fd)
	return t, fail(OpStat, n.name, err)
}
