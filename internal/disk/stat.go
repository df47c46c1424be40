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
