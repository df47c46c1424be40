package netatalk

import (
	"encoding/binary"

	"github.com/dozo-server/dozo/internal/catalog"
)

// Hint is the id in a metadata attribute, and the node that it was given to.
type Hint struct {
	ID       catalog.CNID // 0: none
	Dev, Ino uint64
}

// The attribute is an AppleDouble of netatalk's own version, with these entries
// beside Apple's.
const (
	doubleMagic   = 0x00051607
	doubleVersion = 0x00020002
	entryDev      = 0x80444556
	entryIno      = 0x80494e4f
	entryID       = 0x8053567e
)

// ReadHint reads the attribute user.org.netatalk.Metadata (on FreeBSD
// org.netatalk.Metadata), as written on a little-endian machine: what netatalk
// did not write in the order of the network is in that of the machine. The zero
// Hint is returned for what is no such attribute.
func ReadHint(b []byte) (h Hint) {
	const head, entry = 26, 12
	if len(b) < head || binary.BigEndian.Uint32(b)&^1 != doubleMagic&^1 || binary.BigEndian.Uint32(b[4:]) != doubleVersion {
		return h
	}
	count := int(binary.BigEndian.Uint16(b[24:]))
	for i := range count {
		at := head + i*entry
		if at+entry > len(b) {
			return Hint{}
		}
		kind, off, size := binary.BigEndian.Uint32(b[at:]), uint64(binary.BigEndian.Uint32(b[at+4:])), binary.BigEndian.Uint32(b[at+8:])
		if off+uint64(size) > uint64(len(b)) {
			continue
		}
		value := b[off : off+uint64(size)]
		switch {
		case kind == entryDev && size == 8:
			h.Dev = binary.LittleEndian.Uint64(value)
		case kind == entryIno && size == 8:
			h.Ino = binary.LittleEndian.Uint64(value)
		case kind == entryID && size == 4:
			h.ID = catalog.CNID(binary.LittleEndian.Uint32(value))
		}
	}
	return h
}
