package disk

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// inoZeroIsEntry: Linux has no empty records; an inode 0 is a strange file
// system's, not a deleted entry.
const inoZeroIsEntry = true

func getdents(fd int, buf []byte) (int, error) { return unix.Getdents(fd, buf) }

// parseDirent reads one struct linux_dirent64: inode 8, position 8, length of
// the record 2, type 1, name with its NUL.
func parseDirent(b []byte) (e DirEntry, size int) {
	const header = 19
	if len(b) < header {
		return e, 0
	}
	size = int(binary.NativeEndian.Uint16(b[16:]))
	if size < header || size > len(b) {
		return e, 0
	}
	name := b[header:size]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	return DirEntry{
		Name: name,
		Ino:  binary.NativeEndian.Uint64(b),
		Type: direntType(b[18]),
		Next: int64(binary.NativeEndian.Uint64(b[8:])),
	}, size
}
