package disk

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// inoZeroIsEntry: a record without an inode is a deleted entry.
const inoZeroIsEntry = false

func getdents(fd int, buf []byte) (int, error) { return unix.ReadDirent(fd, buf) }

// parseDirent reads one struct dirent: inode 8, position 8, length of the
// record 2, length of the name 2, type 1, name.
func parseDirent(b []byte) (e DirEntry, size int) {
	const header = 21
	if len(b) < header {
		return e, 0
	}
	size = int(binary.NativeEndian.Uint16(b[16:]))
	name := int(binary.NativeEndian.Uint16(b[18:]))
	if size < header || size > len(b) || name > size-header {
		return e, 0
	}
	return DirEntry{
		Name: b[header : header+name],
		Ino:  binary.NativeEndian.Uint64(b),
		Type: direntType(b[20]),
		Next: int64(binary.NativeEndian.Uint64(b[8:])),
	}, size
}
