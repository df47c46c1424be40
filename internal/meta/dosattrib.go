package meta

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/vfs"
)

// XattrName is the extended attribute that holds DOS attributes and the time of
// birth, in the form that Samba writes.
//
// The form is NDR of a string and a union. Integers are little-endian; the
// number in the union is told twice:
//
//	text\0        the attributes as "0x20"; empty since version 4
//	(align 2)     version 2, version 2
//	(align 4)     of version
//	  1           attributes 4, -, size 8, allocated 8, birth 8, changed 8
//	  2           flags 4, attributes 4, -, size 8, allocated 8, birth 8, changed 8, written 8, name
//	  3           flags 4, attributes 4, -, size 8, allocated 8, birth 8, changed 8
//	  4           flags 4, attributes 4, id time 8, birth 8
//	  5           flags 4, attributes 4, birth 8
//
// with 4 bytes at each "-". Nothing is aligned to 8. The oldest form is the text
// alone, with or without its NUL. Samba 4.17 writes version 5.
const XattrName = "user.DOSATTRIB"

// maxXattr is more than any version takes but for 2, which ends with a name.
const maxXattr = 512

// Flags of the versions from 2 on: what of the rest counts.
const (
	flagAttributes = 0x01
	flagBirth      = 0x10

	// flagShown is dozo's own, and Samba passes over it: that the hidden
	// attribute is not set although the name begins with a dot is what a
	// client asked for. Without it such a file is hidden whatever is stored,
	// because Samba stores "not hidden" for every new one and hides it.
	flagShown = 1 << 31
)

// kept are the attributes that are stored: those a client sets, and what else
// Samba keeps here, which must survive a change of these.
const kept = vfs.DOSStored | vfs.DOSSparse | vfs.DOSCompressed | vfs.DOSEncrypted

// Decode reads the value of the attribute. It reports false when nothing can be
// made of it: then it counts as absent, as it does for Samba.
func Decode(b []byte) (Info, bool) {
	text, rest, _ := bytes.Cut(b, []byte{0})
	if len(rest) == 0 {
		dos, ok := parseText(string(text))
		return Info{Stored: true, DOS: dos & kept}, ok
	}
	r := cursor.NewReader(b)
	r.Skip(len(text) + 1)
	r.Align(2)
	version := r.U16()
	if r.U16() != version {
		return Info{}, false
	}
	r.Align(4)

	var flags, dos uint32
	var birth uint64
	switch version {
	case 1:
		flags = flagAttributes | flagBirth
		dos = r.U32()
		r.Skip(20)
		birth = r.U64()
		r.Skip(8)
	case 2: // its times were never right
		flags = r.U32() &^ flagBirth
		dos = r.U32()
		r.Skip(44)
	case 3:
		flags, dos = r.U32(), r.U32()
		r.Skip(20)
		birth = r.U64()
		r.Skip(8)
	case 4:
		flags, dos = r.U32(), r.U32()
		r.Skip(8)
		birth = r.U64()
	case 5:
		flags, dos = r.U32(), r.U32()
		birth = r.U64()
	default:
		return Info{}, false
	}
	if r.Err() != nil {
		return Info{}, false
	}
	// Samba takes the attributes whether flagAttributes is set or not.
	info := Info{Stored: true, DOS: vfs.DOSAttr(dos) & kept, shown: flags&flagShown != 0}
	if flags&flagBirth != 0 {
		info.Birth = fileTime(birth)
	}
	return info, true
}

// Encode appends the value of the attribute, version 5, for a node of the type.
func (i Info) Encode(b []byte, typ vfs.Type) []byte {
	flags, dos := uint32(flagAttributes), i.DOS&kept
	if typ == vfs.TypeDir {
		dos |= vfs.DOSDirectory
	}
	if i.shown {
		flags |= flagShown
	}
	var birth uint64
	if !i.Birth.IsZero() {
		flags |= flagBirth
		birth = ntTime(i.Birth)
	}
	w := cursor.NewWriter(b)
	w.U8(0)  // no text
	w.U8(0)  // aligned
	w.U16(5) // version
	w.U16(5) // and again
	w.U16(0) // aligned
	w.U32(flags)
	w.U32(uint32(dos))
	w.U64(birth)
	return w.Message()
}

// parseText reads "0x20"; the 0x may be missing.
func parseText(s string) (vfs.DOSAttr, bool) {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	n, err := strconv.ParseUint(s, 16, 32)
	return vfs.DOSAttr(n), err == nil
}

// epoch is how many units of 100 ns lie between 1601 and 1970.
const epoch = 116444736000000000

// fileTime reads a time in units of 100 ns since 1601, zero for the values that
// mean none.
func fileTime(t uint64) time.Time {
	if t == 0 || t > math.MaxInt64 {
		return time.Time{}
	}
	units := int64(t) - epoch
	return time.Unix(floor(units, 1e7), (units-floor(units, 1e7)*1e7)*100)
}

// ntTime is the opposite of fileTime; what lies before 1601 becomes its start.
func ntTime(t time.Time) uint64 {
	units := t.Unix()*1e7 + int64(t.Nanosecond())/100 + epoch
	return uint64(max(units, 1))
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
