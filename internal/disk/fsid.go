package disk

import (
	"crypto/sha256"
	"fmt"
)

// FileSystem is the identity of a file system.
type FileSystem struct {
	// ID is the same as long as the file system lives, on whatever device and
	// after every boot: its UUID, or made of what else identifies it. Those of
	// two btrfs subvolumes differ.
	ID [16]byte

	// Label says in words what must be mounted at a place for it to be this
	// file system again: "uuid 6a4b...", "zfs 1f00...", "nfs host:/export".
	// Unlike the ID, that of a file system that lives in memory survives a boot.
	Label string

	// Kind is what the system calls this kind: "ext4", "zfs", "nfs4".
	Kind string
}

// digest makes an ID of what identifies a file system that has no UUID.
func digest(parts ...string) (id [16]byte) {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	copy(id[:], h.Sum(nil))
	return id
}

func fsidString(val [2]int32) string {
	return fmt.Sprintf("%08x%08x", uint32(val[0]), uint32(val[1]))
}
