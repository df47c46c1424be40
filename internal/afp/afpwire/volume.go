package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// VolumeBitmap names parameters of a volume ("Volume Bitmap").
type VolumeBitmap uint16

// The bits of VolumeBitmap.
const (
	VolBitAttributes    VolumeBitmap = 0x0001
	VolBitSignature     VolumeBitmap = 0x0002
	VolBitCreated       VolumeBitmap = 0x0004
	VolBitModified      VolumeBitmap = 0x0008
	VolBitBackedUp      VolumeBitmap = 0x0010
	VolBitID            VolumeBitmap = 0x0020
	VolBitBytesFree     VolumeBitmap = 0x0040
	VolBitBytesTotal    VolumeBitmap = 0x0080
	VolBitName          VolumeBitmap = 0x0100
	VolBitExtBytesFree  VolumeBitmap = 0x0200
	VolBitExtBytesTotal VolumeBitmap = 0x0400
	VolBitBlockSize     VolumeBitmap = 0x0800

	// VolBits are all there are.
	VolBits VolumeBitmap = 0x0fff
)

// VolumeAttributes say what a volume can do ("Volume Attributes Bitmap").
type VolumeAttributes uint16

// The volume attributes.
const (
	VolReadOnly               VolumeAttributes = 0x0001
	VolHasPassword            VolumeAttributes = 0x0002
	VolHasFileIDs             VolumeAttributes = 0x0004
	VolHasCatSearch           VolumeAttributes = 0x0008
	VolHasBlankAccess         VolumeAttributes = 0x0010
	VolHasUnixPrivs           VolumeAttributes = 0x0020
	VolHasUTF8Names           VolumeAttributes = 0x0040
	VolNoNetworkUserIDs       VolumeAttributes = 0x0080 // clients don't take user ids for theirs
	VolDefaultPrivsFromParent VolumeAttributes = 0x0100
	VolNoExchangeFiles        VolumeAttributes = 0x0200
	VolHasExtAttrs            VolumeAttributes = 0x0400
	VolHasACLs                VolumeAttributes = 0x0800
	VolCaseSensitive          VolumeAttributes = 0x1000
	VolTMLockSteal            VolumeAttributes = 0x2000 // for Time Machine
)

// FixedDirIDs is the signature of volumes on which a folder keeps its id: all
// that are served today.
const FixedDirIDs = 2

// VolumeParms are the parameters of a volume. A VolumeBitmap says which of them
// are in a block, as for Parms.
type VolumeParms struct {
	Attributes VolumeAttributes
	Signature  uint16
	Created    Date
	Modified   Date
	BackedUp   Date
	ID         VolumeID
	BytesFree  uint64 // cut to 0xffffffff without VolBitExtBytesFree
	BytesTotal uint64 // cut to 0xffffffff without VolBitExtBytesTotal
	Name       string // MacRoman
	BlockSize  uint32
}

// Decode reads a block, which is all that is left in r.
func (p *VolumeParms) Decode(r *cursor.Reader, bits VolumeBitmap) {
	*p = VolumeParms{}
	if bits&^VolBits != 0 {
		r.Fail(ResultBitmapErr)
		return
	}
	start := r.Pos()
	var name uint16
	if bits&VolBitAttributes != 0 {
		p.Attributes = VolumeAttributes(r.BE16())
	}
	if bits&VolBitSignature != 0 {
		p.Signature = r.BE16()
	}
	if bits&VolBitCreated != 0 {
		p.Created = Date(r.BE32())
	}
	if bits&VolBitModified != 0 {
		p.Modified = Date(r.BE32())
	}
	if bits&VolBitBackedUp != 0 {
		p.BackedUp = Date(r.BE32())
	}
	if bits&VolBitID != 0 {
		p.ID = VolumeID(r.BE16())
	}
	if bits&VolBitBytesFree != 0 {
		p.BytesFree = uint64(r.BE32())
	}
	if bits&VolBitBytesTotal != 0 {
		p.BytesTotal = uint64(r.BE32())
	}
	if bits&VolBitName != 0 {
		name = r.BE16()
	}
	if bits&VolBitExtBytesFree != 0 {
		p.BytesFree = r.BE64()
	}
	if bits&VolBitExtBytesTotal != 0 {
		p.BytesTotal = r.BE64()
	}
	if bits&VolBitBlockSize != 0 {
		p.BlockSize = r.BE32()
	}
	p.Name = pascalAt(r, start, name)
	r.Rest()
}

// Encode writes a block.
func (p *VolumeParms) Encode(w *cursor.Writer, bits VolumeBitmap) {
	start := w.Len()
	var name int
	if bits&VolBitAttributes != 0 {
		w.BE16(uint16(p.Attributes))
	}
	if bits&VolBitSignature != 0 {
		w.BE16(p.Signature)
	}
	if bits&VolBitCreated != 0 {
		w.BE32(uint32(p.Created))
	}
	if bits&VolBitModified != 0 {
		w.BE32(uint32(p.Modified))
	}
	if bits&VolBitBackedUp != 0 {
		w.BE32(uint32(p.BackedUp))
	}
	if bits&VolBitID != 0 {
		w.BE16(uint16(p.ID))
	}
	if bits&VolBitBytesFree != 0 {
		w.BE32(short32(p.BytesFree))
	}
	if bits&VolBitBytesTotal != 0 {
		w.BE32(short32(p.BytesTotal))
	}
	if bits&VolBitName != 0 {
		name = nameOffset(w)
	}
	if bits&VolBitExtBytesFree != 0 {
		w.BE64(p.BytesFree)
	}
	if bits&VolBitExtBytesTotal != 0 {
		w.BE64(p.BytesTotal)
	}
	if bits&VolBitBlockSize != 0 {
		w.BE32(p.BlockSize)
	}
	if bits&VolBitName != 0 && p.Name != "" {
		w.PutBE16(name, uint16(w.Len()-start))
		writePascal(w, p.Name)
	}
}
