package disk

import "golang.org/x/sys/unix"

// nameMax is the limit of APFS and HFS+; statfs doesn't tell it.
func nameMax(*unix.Statfs_t) int { return 255 }
