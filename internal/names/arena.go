package names

import (
	"encoding/binary"
	"slices"

	"github.com/dozo-server/dozo/vfs"
)

// An arena holds the names of a folder as records in chunks of bytes without
// pointers, so that the garbage collector never looks into it. Records are
// appended and never moved; a name that goes is marked. A place in an arena is
// therefore a cursor that stays right while names come and go.
//
//	15   13 12  10 9        0
//	+------+------+----------+----------------+
//	| mark | type |  length  |  name, length  |   16 bits little-endian, bytes
//	+------+------+----------+----------------+
//
// A record lies in one chunk. The first chunk begins small and grows to
// chunkSize, the others have that size. An offset is the number of the chunk
// and the place in it.
type arena struct {
	chunks [][]byte
	bytes  int // of memory
	used   int // of all records
	dead   int // of marked ones
}

const (
	chunkBits = 18
	chunkSize = 1 << chunkBits // 256 KiB

	recordHeader = 2
	lengthMask   = 1<<10 - 1
	typeShift    = 10
	typeMask     = 7

	markDead  = 1 << 13
	markAlias = 1 << 14 // the name has an alias, see needsAlias

	// maxIndexed is the longest name an arena takes. The longest that any file
	// system of Linux stores has 255 UTF-16 units, which are 765 bytes.
	maxIndexed = lengthMask
)

// record is a name in an arena. Its bytes alias the arena.
type record struct {
	name  []byte
	typ   vfs.Type
	dead  bool
	alias bool
}

// add appends a record and returns its offset. ok is false when the arena has
// no more offsets.
func (a *arena) add(name []byte, typ vfs.Type, alias bool) (off uint32, ok bool) {
	need := recordHeader + len(name)
	last := len(a.chunks) - 1
	switch {
	case last < 0:
		a.addChunk(max(need, 64))
		last = 0
	case len(a.chunks[last])+need <= cap(a.chunks[last]):
	case last == 0 && len(a.chunks[0])+need <= chunkSize:
		a.resizeFirst(min(max(2*cap(a.chunks[0]), len(a.chunks[0])+need), chunkSize))
	case last+1 == 1<<(32-chunkBits):
		return 0, false
	default:
		a.addChunk(chunkSize)
		last++
	}
	chunk := a.chunks[last]
	off = uint32(last)<<chunkBits | uint32(len(chunk))
	head := uint16(len(name)) | uint16(typ)<<typeShift
	if alias {
		head |= markAlias
	}
	a.chunks[last] = append(binary.LittleEndian.AppendUint16(chunk, head), name...)
	a.used += need
	return off, true
}

func (a *arena) addChunk(size int) {
	a.chunks = append(a.chunks, make([]byte, 0, size))
	a.bytes += size
}

// resizeFirst moves the first chunk to one of another size. A cursor goes on
// in the old one.
func (a *arena) resizeFirst(size int) {
	a.bytes += size - cap(a.chunks[0])
	a.chunks[0] = append(make([]byte, 0, size), a.chunks[0]...)
}

// trim gives back what an only chunk has beyond its records.
func (a *arena) trim() {
	if len(a.chunks) == 1 {
		a.resizeFirst(len(a.chunks[0]))
	}
}

// at returns the record at off.
func (a *arena) at(off uint32) record { return recordAt(a.from(off)) }

func (a *arena) from(off uint32) []byte { return a.chunks[off>>chunkBits][off&(chunkSize-1):] }

func recordAt(b []byte) record {
	head := binary.LittleEndian.Uint16(b)
	return record{
		name:  b[recordHeader : recordHeader+head&lengthMask],
		typ:   vfs.Type(head >> typeShift & typeMask),
		dead:  head&markDead != 0,
		alias: head&markAlias != 0,
	}
}

// kill marks the record at off.
func (a *arena) kill(off uint32) {
	b := a.from(off)
	head := binary.LittleEndian.Uint16(b)
	binary.LittleEndian.PutUint16(b, head|markDead)
	a.dead += recordHeader + int(head&lengthMask)
}

// retype changes the type of the record at off.
func (a *arena) retype(off uint32, typ vfs.Type) {
	b := a.from(off)
	head := binary.LittleEndian.Uint16(b)
	binary.LittleEndian.PutUint16(b, head&^(typeMask<<typeShift)|uint16(typ)<<typeShift)
}

// cursor walks over the records that were in an arena when it was made, in the
// order they were added. It stays valid when the arena is dropped, and needs
// the protection against changes that the arena needs.
type cursor struct {
	chunks [][]byte // from the next record on
	chunk  uint32   // number of the first of them
	off    uint32   // in it
}

func (a *arena) cursor() cursor { return cursor{chunks: slices.Clone(a.chunks)} }

// next returns the next record that is not marked, and its offset; ok is false
// at the end.
func (c *cursor) next() (r record, off uint32, ok bool) {
	for len(c.chunks) > 0 {
		if int(c.off) == len(c.chunks[0]) {
			c.chunks, c.chunk, c.off = c.chunks[1:], c.chunk+1, 0
			continue
		}
		r, off = recordAt(c.chunks[0][c.off:]), c.chunk<<chunkBits|c.off
		c.off += uint32(recordHeader + len(r.name))
		if !r.dead {
			return r, off, true
		}
	}
	return record{}, 0, false
}
