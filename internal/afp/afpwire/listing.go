package afpwire

import (
	"math"

	"github.com/dozo-server/dozo/internal/cursor"
)

// layout is how a reply lists files and folders. Before the parameters of each
// stand their length and whether it is a folder.
type layout struct {
	wide      bool // the length has 16 bits, and a pad byte follows the flag
	countHead bool // the length counts what stands before the parameters, too
	count32   bool // the number of entries has 32 bits
}

func (l layout) headSize() int {
	if l.wide {
		return 4
	}
	return 2
}

// Listing writes the entries of an EnumerateReply or a CatSearchReply as a
// server finds them.
type Listing struct {
	layout
	w       *cursor.Writer
	files   Bitmap
	dirs    Bitmap
	countAt int
	max     int
	count   int
}

// newListing leaves room for the number of entries.
func newListing(w *cursor.Writer, how layout, files, dirs Bitmap, maxSize int) *Listing {
	l := &Listing{layout: how, w: w, files: files, dirs: dirs, countAt: w.Len(), max: maxSize}
	if how.count32 {
		w.BE32(0)
	} else {
		w.BE16(0)
	}
	return l
}

// Add writes an entry, with the parameters that were asked for. It returns
// false, and writes nothing, if that would make the reply longer than it may
// be, or if the entry is longer than its layout can say.
func (l *Listing) Add(p *Parms) bool {
	start := l.w.Len()
	if l.wide {
		l.w.BE16(0)
	} else {
		l.w.U8(0)
	}
	l.w.U8(flagged(p.Dir, highBit))
	if l.wide {
		l.w.U8(0)
	}
	p.Encode(l.w, p.of(l.files, l.dirs))
	if (l.w.Len()-start)%2 != 0 {
		l.w.U8(0)
	}

	size, most := l.w.Len()-start, math.MaxUint8
	if !l.countHead {
		size -= l.headSize()
	}
	if l.wide {
		most = math.MaxUint16
	}
	if l.w.Len() > l.max || size > most || !l.count32 && l.count == math.MaxUint16 {
		l.w.Truncate(start)
		return false
	}
	if l.wide {
		l.w.PutBE16(start, uint16(size))
	} else {
		l.w.PutU8(start, uint8(size))
	}
	l.count++
	if l.count32 {
		l.w.PutBE32(l.countAt, uint32(l.count))
	} else {
		l.w.PutBE16(l.countAt, uint16(l.count))
	}
	return true
}

// Count returns how many entries there are.
func (l *Listing) Count() int { return l.count }

// readEntries reads the entries, and their number before them.
func readEntries(r *cursor.Reader, how layout, files, dirs Bitmap, afp2 bool, list []Parms) []Parms {
	list = list[:0]
	var count uint32
	if how.count32 {
		count = r.BE32()
	} else {
		count = uint32(r.BE16())
	}
	var entry cursor.Reader
	for ; count > 0 && r.Err() == nil; count-- {
		var size int
		if how.wide {
			size = int(r.BE16())
		} else {
			size = int(r.U8())
		}
		p := Parms{Dir: r.U8()&highBit != 0, AFP2: afp2}
		if how.wide {
			r.U8() // Pad
		}
		if how.countHead {
			size -= how.headSize()
		}
		// A copy of the entry can't read beyond it.
		entry.Reset(r.Bytes(size))
		if r.Err() != nil {
			break
		}
		if p.Decode(&entry, p.of(files, dirs)); entry.Err() != nil {
			r.Fail(entry.Err())
			break
		}
		list = append(list, p)
	}
	return list
}
