package meta

import "github.com/dozo-server/dozo/internal/cursor"

// AppleDouble is how Macs keep beside the data of a file what other systems don't
// know ([RFC 1740] and its netatalk, Samba and macOS dialects). Integers are
// big-endian:
//
//	magic 4, version 4, filler 16, count 2
//	count times: id 4, offset 4, length 4
//	what the entries point to
//
// Nothing of it is believed: files of this form come from anywhere.
const (
	doubleMagic   = 0x00051607
	doubleVersion = 0x00020000
	doubleHeader  = 26 // bytes before the entries
	doubleEntry   = 12 // bytes of each
	maxEntries    = 16 // more than anybody writes

	// doubleHead is as much of a file as its entries can take.
	doubleHead = doubleHeader + maxEntries*doubleEntry
)

// Ids of entries.
const (
	idResource = 2
	idComment  = 4
	idDates    = 8
	idFinder   = 9
	idAttr     = 14

	// netatalk's own: of the device, the inode, the database and the CNID.
	idDevice  = 0x80444556
	idInode   = 0x80494e4f
	idStamp   = 0x8053594e
	idCatalog = 0x8053567e
)

// double is what an AppleDouble file says is where.
type double struct {
	entries [maxEntries]entry
	n       int
}

// entry is a part of an AppleDouble file.
type entry struct {
	id        uint32
	off, size int64
}

func (e entry) end() int64 { return e.off + e.size }

// parseDouble reads the head of an AppleDouble file of size bytes, of which b are
// the first. It reports false for what is none or can't be right: entries outside
// the file or the size of another, but for a resource fork whose end is missing,
// which is shortened.
func parseDouble(b []byte, size int64) (d double, ok bool) {
	r := cursor.NewReader(b)
	magic, version := r.BE32(), r.BE32()
	r.Skip(16)
	count := int(r.BE16())
	if magic != doubleMagic || version>>16 != doubleVersion>>16 || count > maxEntries {
		return d, false
	}
	head := int64(doubleHeader + count*doubleEntry)
	for range count {
		e := entry{r.BE32(), int64(r.BE32()), int64(r.BE32())}
		if r.Err() != nil || e.off < head || e.off > size {
			return d, false
		}
		if e.end() > size {
			if e.id != idResource {
				return d, false
			}
			e.size = size - e.off
		}
		for _, other := range d.all() {
			if e.id == other.id || e.off < other.end() && other.off < e.end() {
				return d, false
			}
		}
		d.entries[d.n] = e
		d.n++
	}
	return d, r.Err() == nil
}

func (d *double) all() []entry { return d.entries[:d.n] }

// find returns the index of an entry, -1 if there is none.
func (d *double) find(id uint32) int {
	for i, e := range d.all() {
		if e.id == id {
			return i
		}
	}
	return -1
}

// part returns the bytes of an entry in b, the whole file, nil if there is none.
func (d *double) part(b []byte, id uint32) []byte {
	i := d.find(id)
	if i < 0 {
		return nil
	}
	return b[d.entries[i].off:d.entries[i].end()]
}
