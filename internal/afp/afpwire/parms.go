package afpwire

import (
	"math"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Parms are the parameters of a file or folder. A Bitmap says which of them are
// in a block: the fixed parts in the order of its bits, with the offset in the
// block for a name, and behind them the names (FPGetFileDirParms).
//
// Dir and AFP2 are not in a block; they tell how to read and write one.
type Parms struct {
	Dir  bool // a folder
	AFP2 bool // BitProDOSInfo rather than BitUTF8Name is what bit 13 means

	Attributes Attributes
	Parent     NodeID
	Created    Date
	Modified   Date
	BackedUp   Date
	FinderInfo FinderInfo
	LongName   string // MacRoman
	ShortName  string
	ID         NodeID
	UTF8Name   string
	ProDOSInfo [6]byte
	UnixPrivs  UnixPrivs

	// Of files. Lengths beyond 4 GiB are cut to 0xffffffff where the bitmap
	// does not ask for the extended ones.
	DataLength     uint64
	ResourceLength uint64
	LaunchLimit    uint16

	// Of folders.
	Offspring uint16
	OwnerID   uint32
	GroupID   uint32
	Access    AccessRights
}

// Decode reads a block, which is all that is left in r.
func (p *Parms) Decode(r *cursor.Reader, bits Bitmap) {
	*p = Parms{Dir: p.Dir, AFP2: p.AFP2}
	if p.Dir && bits&^DirBits != 0 {
		r.Fail(ResultBitmapErr)
		return
	}
	start := r.Pos()
	var long, short, utf8 uint16
	if bits&BitAttributes != 0 {
		p.Attributes = Attributes(r.BE16())
	}
	if bits&BitParent != 0 {
		p.Parent = NodeID(r.BE32())
	}
	if bits&BitCreated != 0 {
		p.Created = Date(r.BE32())
	}
	if bits&BitModified != 0 {
		p.Modified = Date(r.BE32())
	}
	if bits&BitBackedUp != 0 {
		p.BackedUp = Date(r.BE32())
	}
	if bits&BitFinderInfo != 0 {
		r.Copy(p.FinderInfo[:])
	}
	if bits&BitLongName != 0 {
		long = r.BE16()
	}
	if bits&BitShortName != 0 {
		short = r.BE16()
	}
	if bits&BitNodeID != 0 {
		p.ID = NodeID(r.BE32())
	}
	if p.Dir {
		p.decodeDir(r, bits)
	} else {
		p.decodeFile(r, bits)
	}
	if bits&BitUTF8Name != 0 {
		if p.AFP2 {
			r.Copy(p.ProDOSInfo[:])
		} else {
			utf8 = r.BE16()
			r.BE32() // Pad
		}
	}
	if bits&BitExtResourceLength != 0 {
		p.ResourceLength = r.BE64()
	}
	if bits&BitUnixPrivs != 0 {
		p.UnixPrivs.decode(r)
	}
	p.LongName = pascalAt(r, start, long)
	p.ShortName = pascalAt(r, start, short)
	p.UTF8Name = utf8At(r, start, utf8)
	r.Rest()
}

func (p *Parms) decodeDir(r *cursor.Reader, bits Bitmap) {
	if bits&BitOffspring != 0 {
		p.Offspring = r.BE16()
	}
	if bits&BitOwner != 0 {
		p.OwnerID = r.BE32()
	}
	if bits&BitGroup != 0 {
		p.GroupID = r.BE32()
	}
	if bits&BitAccess != 0 {
		p.Access = AccessRights(r.BE32())
	}
}

func (p *Parms) decodeFile(r *cursor.Reader, bits Bitmap) {
	if bits&BitDataLength != 0 {
		p.DataLength = uint64(r.BE32())
	}
	if bits&BitResourceLength != 0 {
		p.ResourceLength = uint64(r.BE32())
	}
	if bits&BitExtDataLength != 0 {
		p.DataLength = r.BE64()
	}
	if bits&BitLaunchLimit != 0 {
		p.LaunchLimit = r.BE16()
	}
}

// Encode writes a block. An empty name has the offset 0, which says that there
// is none.
func (p *Parms) Encode(w *cursor.Writer, bits Bitmap) {
	start := w.Len()
	var long, short, utf8 int
	if bits&BitAttributes != 0 {
		w.BE16(uint16(p.Attributes))
	}
	if bits&BitParent != 0 {
		w.BE32(uint32(p.Parent))
	}
	if bits&BitCreated != 0 {
		w.BE32(uint32(p.Created))
	}
	if bits&BitModified != 0 {
		w.BE32(uint32(p.Modified))
	}
	if bits&BitBackedUp != 0 {
		w.BE32(uint32(p.BackedUp))
	}
	if bits&BitFinderInfo != 0 {
		w.Bytes(p.FinderInfo[:])
	}
	if bits&BitLongName != 0 {
		long = nameOffset(w)
	}
	if bits&BitShortName != 0 {
		short = nameOffset(w)
	}
	if bits&BitNodeID != 0 {
		w.BE32(uint32(p.ID))
	}
	if p.Dir {
		p.encodeDir(w, bits)
	} else {
		p.encodeFile(w, bits)
	}
	if bits&BitUTF8Name != 0 {
		if p.AFP2 {
			w.Bytes(p.ProDOSInfo[:])
		} else {
			utf8 = nameOffset(w)
			w.BE32(0)
		}
	}
	if !p.Dir && bits&BitExtResourceLength != 0 {
		w.BE64(p.ResourceLength)
	}
	if bits&BitUnixPrivs != 0 {
		p.UnixPrivs.encode(w)
	}
	if bits&BitLongName != 0 && p.LongName != "" {
		w.PutBE16(long, uint16(w.Len()-start))
		writePascal(w, p.LongName)
	}
	if bits&BitShortName != 0 && p.ShortName != "" {
		w.PutBE16(short, uint16(w.Len()-start))
		writePascal(w, p.ShortName)
	}
	if bits&BitUTF8Name != 0 && !p.AFP2 && p.UTF8Name != "" {
		w.PutBE16(utf8, uint16(w.Len()-start))
		w.BE32(uint32(EncodingUTF8))
		writeUTF8(w, p.UTF8Name)
	}
}

func (p *Parms) encodeDir(w *cursor.Writer, bits Bitmap) {
	if bits&BitOffspring != 0 {
		w.BE16(p.Offspring)
	}
	if bits&BitOwner != 0 {
		w.BE32(p.OwnerID)
	}
	if bits&BitGroup != 0 {
		w.BE32(p.GroupID)
	}
	if bits&BitAccess != 0 {
		w.BE32(uint32(p.Access))
	}
}

func (p *Parms) encodeFile(w *cursor.Writer, bits Bitmap) {
	if bits&BitDataLength != 0 {
		w.BE32(short32(p.DataLength))
	}
	if bits&BitResourceLength != 0 {
		w.BE32(short32(p.ResourceLength))
	}
	if bits&BitExtDataLength != 0 {
		w.BE64(p.DataLength)
	}
	if bits&BitLaunchLimit != 0 {
		w.BE16(p.LaunchLimit)
	}
}

func (u *UnixPrivs) decode(r *cursor.Reader) {
	u.UserID = r.BE32()
	u.GroupID = r.BE32()
	u.Mode = r.BE32()
	u.Access = AccessRights(r.BE32())
}

func (u *UnixPrivs) encode(w *cursor.Writer) {
	w.BE32(u.UserID)
	w.BE32(u.GroupID)
	w.BE32(u.Mode)
	w.BE32(uint32(u.Access))
}

// short32 is a size in a field that knows sizes below 4 GiB only.
func short32(size uint64) uint32 { return uint32(min(size, math.MaxUint32)) }

// nameOffset leaves room for the offset of a name.
func nameOffset(w *cursor.Writer) (at int) {
	at = w.Len()
	w.BE16(0)
	return at
}

// pascalAt returns the name at an offset of the block that began at start, ""
// for the offset 0.
func pascalAt(r *cursor.Reader, start int, off uint16) string {
	if off == 0 {
		return ""
	}
	at := start + int(off)
	size := r.Slice(at, 1)
	if size == nil {
		return ""
	}
	return string(r.Slice(at+1, int(size[0])))
}

// utf8At is pascalAt for an AFPName: its hint, length and text.
func utf8At(r *cursor.Reader, start int, off uint16) string {
	if off == 0 {
		return ""
	}
	const hintSize, sizeSize = 4, 2
	at := start + int(off) + hintSize
	size := r.Slice(at, sizeSize)
	if size == nil {
		return ""
	}
	return string(r.Slice(at+sizeSize, int(size[0])<<8|int(size[1])))
}
