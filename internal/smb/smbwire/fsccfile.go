package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// BasicInformation are the times and attributes of a file ([MS-FSCC]
// FileBasicInformation). When it sets them, a time of 0 leaves one alone; see
// FileTimeFreeze.
type BasicInformation struct {
	CreationTime   FileTime
	LastAccessTime FileTime
	LastWriteTime  FileTime
	ChangeTime     FileTime
	FileAttributes FileAttributes // 0 leaves them alone
}

// The times with which a client tells, through BasicInformation, how later
// operations of the same open treat a time.
const (
	FileTimeFreeze FileTime = 1<<64 - 1 // -1: they do not change it
	FileTimeThaw   FileTime = 1<<64 - 2 // -2: they change it again
)

// Decode reads the information.
func (i *BasicInformation) Decode(r *cursor.Reader) {
	i.CreationTime = FileTime(r.U64())
	i.LastAccessTime = FileTime(r.U64())
	i.LastWriteTime = FileTime(r.U64())
	i.ChangeTime = FileTime(r.U64())
	i.FileAttributes = FileAttributes(r.U32())
	r.U32() // Reserved
}

// Encode writes the information.
func (i *BasicInformation) Encode(w *cursor.Writer) {
	w.U64(uint64(i.CreationTime))
	w.U64(uint64(i.LastAccessTime))
	w.U64(uint64(i.LastWriteTime))
	w.U64(uint64(i.ChangeTime))
	w.U32(uint32(i.FileAttributes))
	w.U32(0)
}

// StandardInformation are sizes and the like ([MS-FSCC]
// FileStandardInformation).
type StandardInformation struct {
	AllocationSize uint64
	EndOfFile      uint64
	NumberOfLinks  uint32
	DeletePending  bool
	Directory      bool
}

// Decode reads the information.
func (i *StandardInformation) Decode(r *cursor.Reader) {
	i.AllocationSize = r.U64()
	i.EndOfFile = r.U64()
	i.NumberOfLinks = r.U32()
	i.DeletePending = r.U8() != 0
	i.Directory = r.U8() != 0
	r.U16() // Reserved
}

// Encode writes the information.
func (i *StandardInformation) Encode(w *cursor.Writer) {
	w.U64(i.AllocationSize)
	w.U64(i.EndOfFile)
	w.U32(i.NumberOfLinks)
	writeBool(w, i.DeletePending)
	writeBool(w, i.Directory)
	w.U16(0)
}

func writeBool(w *cursor.Writer, v bool) {
	if v {
		w.U8(1)
	} else {
		w.U8(0)
	}
}

// AllInformation is what is known about a file in one piece ([MS-FSCC]
// FileAllInformation).
type AllInformation struct {
	Basic     BasicInformation
	Standard  StandardInformation
	FileID    uint64
	EASize    uint32
	Access    AccessMask // rights of the open
	Position  uint64     // see PositionInformation
	Mode      uint32     // see ModeInformation
	Alignment uint32     // see AlignmentInformation
	Name      string     // path in the share, beginning with a backslash
}

// Decode reads the information.
func (i *AllInformation) Decode(r *cursor.Reader) {
	i.Basic.Decode(r)
	i.Standard.Decode(r)
	i.FileID = r.U64()
	i.EASize = r.U32()
	i.Access = AccessMask(r.U32())
	i.Position = r.U64()
	i.Mode = r.U32()
	i.Alignment = r.U32()
	i.Name = readName(r)
}

// Encode writes the information.
func (i *AllInformation) Encode(w *cursor.Writer) {
	i.Basic.Encode(w)
	i.Standard.Encode(w)
	w.U64(i.FileID)
	w.U32(i.EASize)
	w.U32(uint32(i.Access))
	w.U64(i.Position)
	w.U32(i.Mode)
	w.U32(i.Alignment)
	writeName(w, i.Name)
}

// NetworkOpenInformation is what Windows shows of a file ([MS-FSCC]
// FileNetworkOpenInformation).
type NetworkOpenInformation struct {
	CreationTime   FileTime
	LastAccessTime FileTime
	LastWriteTime  FileTime
	ChangeTime     FileTime
	AllocationSize uint64
	EndOfFile      uint64
	FileAttributes FileAttributes
}

// Decode reads the information.
func (i *NetworkOpenInformation) Decode(r *cursor.Reader) {
	i.CreationTime = FileTime(r.U64())
	i.LastAccessTime = FileTime(r.U64())
	i.LastWriteTime = FileTime(r.U64())
	i.ChangeTime = FileTime(r.U64())
	i.AllocationSize = r.U64()
	i.EndOfFile = r.U64()
	i.FileAttributes = FileAttributes(r.U32())
	r.U32() // Reserved
}

// Encode writes the information.
func (i *NetworkOpenInformation) Encode(w *cursor.Writer) {
	w.U64(uint64(i.CreationTime))
	w.U64(uint64(i.LastAccessTime))
	w.U64(uint64(i.LastWriteTime))
	w.U64(uint64(i.ChangeTime))
	w.U64(i.AllocationSize)
	w.U64(i.EndOfFile)
	w.U32(uint32(i.FileAttributes))
	w.U32(0)
}

// AttributeTagInformation tells attributes and reparse tag ([MS-FSCC]
// FileAttributeTagInformation).
type AttributeTagInformation struct {
	FileAttributes FileAttributes
	ReparseTag     uint32
}

// Decode reads the information.
func (i *AttributeTagInformation) Decode(r *cursor.Reader) {
	i.FileAttributes = FileAttributes(r.U32())
	i.ReparseTag = r.U32()
}

// Encode writes the information.
func (i *AttributeTagInformation) Encode(w *cursor.Writer) {
	w.U32(uint32(i.FileAttributes))
	w.U32(i.ReparseTag)
}

// CompressionInformation tells how a file is compressed ([MS-FSCC]
// FileCompressionInformation).
type CompressionInformation struct {
	CompressedSize   uint64
	Format           uint16 // 0: not compressed
	UnitShift        uint8
	ChunkShift       uint8
	ClusterSizeShift uint8
}

// Decode reads the information.
func (i *CompressionInformation) Decode(r *cursor.Reader) {
	i.CompressedSize = r.U64()
	i.Format = r.U16()
	i.UnitShift = r.U8()
	i.ChunkShift = r.U8()
	i.ClusterSizeShift = r.U8()
	r.Skip(3) // Reserved
}

// Encode writes the information.
func (i *CompressionInformation) Encode(w *cursor.Writer) {
	w.U64(i.CompressedSize)
	w.U16(i.Format)
	w.U8(i.UnitShift)
	w.U8(i.ChunkShift)
	w.U8(i.ClusterSizeShift)
	w.Zero(3)
}

// IDInformation is the identity of a file in the world of 128 bits
// ([MS-FSCC] FileIdInformation).
type IDInformation struct {
	VolumeSerial uint64
	FileID       uint64 // the upper half of the 128 bits is 0
}

// Decode reads the information.
func (i *IDInformation) Decode(r *cursor.Reader) {
	i.VolumeSerial = r.U64()
	i.FileID = r.U64()
	r.U64()
}

// Encode writes the information.
func (i *IDInformation) Encode(w *cursor.Writer) {
	w.U64(i.VolumeSerial)
	w.U64(i.FileID)
	w.U64(0)
}

// StandardLinkInformation counts the names of a file ([MS-FSCC]
// FileStandardLinkInformation).
type StandardLinkInformation struct {
	NumberOfLinks uint32 // that can be reached
	TotalLinks    uint32
	DeletePending bool
	Directory     bool
}

// Decode reads the information.
func (i *StandardLinkInformation) Decode(r *cursor.Reader) {
	i.NumberOfLinks = r.U32()
	i.TotalLinks = r.U32()
	i.DeletePending = r.U8() != 0
	i.Directory = r.U8() != 0
	r.U16() // Reserved
}

// Encode writes the information.
func (i *StandardLinkInformation) Encode(w *cursor.Writer) {
	w.U32(i.NumberOfLinks)
	w.U32(i.TotalLinks)
	writeBool(w, i.DeletePending)
	writeBool(w, i.Directory)
	w.U16(0)
}
