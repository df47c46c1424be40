package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// VolumeInformation tells which volume it is ([MS-FSCC]
// FileFsVolumeInformation).
type VolumeInformation struct {
	CreationTime    FileTime
	SerialNumber    uint32
	SupportsObjects bool
	Label           string
}

// Decode reads the information.
func (i *VolumeInformation) Decode(r *cursor.Reader) {
	i.CreationTime = FileTime(r.U64())
	i.SerialNumber = r.U32()
	n := r.U32()
	i.SupportsObjects = r.U8() != 0
	r.U8() // Reserved
	if n%2 != 0 || int64(n) > int64(r.Len()) {
		r.Failf("a label of %d bytes", n)
	}
	i.Label = DecodeUTF16(r.Bytes(int(n)))
}

// Encode writes the information.
func (i *VolumeInformation) Encode(w *cursor.Writer) {
	w.U64(uint64(i.CreationTime))
	w.U32(i.SerialNumber)
	w.U32(uint32(UTF16Size(i.Label)))
	writeBool(w, i.SupportsObjects)
	w.U8(0)
	WriteUTF16(w, i.Label)
}

// SizeInformation is the room of a volume ([MS-FSCC] FileFsSizeInformation).
// Units are SectorsPerUnit sectors of BytesPerSector.
type SizeInformation struct {
	TotalUnits     uint64
	AvailableUnits uint64 // to the caller
	SectorsPerUnit uint32
	BytesPerSector uint32
}

// Decode reads the information.
func (i *SizeInformation) Decode(r *cursor.Reader) {
	i.TotalUnits = r.U64()
	i.AvailableUnits = r.U64()
	i.SectorsPerUnit = r.U32()
	i.BytesPerSector = r.U32()
}

// Encode writes the information.
func (i *SizeInformation) Encode(w *cursor.Writer) {
	w.U64(i.TotalUnits)
	w.U64(i.AvailableUnits)
	w.U32(i.SectorsPerUnit)
	w.U32(i.BytesPerSector)
}

// FullSizeInformation is the room of a volume, for the caller and for all
// ([MS-FSCC] FileFsFullSizeInformation).
type FullSizeInformation struct {
	TotalUnits     uint64 // of the caller's quota if there is one
	CallerUnits    uint64 // what the caller may still use
	AvailableUnits uint64 // what is free altogether
	SectorsPerUnit uint32
	BytesPerSector uint32
}

// Decode reads the information.
func (i *FullSizeInformation) Decode(r *cursor.Reader) {
	i.TotalUnits = r.U64()
	i.CallerUnits = r.U64()
	i.AvailableUnits = r.U64()
	i.SectorsPerUnit = r.U32()
	i.BytesPerSector = r.U32()
}

// Encode writes the information.
func (i *FullSizeInformation) Encode(w *cursor.Writer) {
	w.U64(i.TotalUnits)
	w.U64(i.CallerUnits)
	w.U64(i.AvailableUnits)
	w.U32(i.SectorsPerUnit)
	w.U32(i.BytesPerSector)
}

// What DeviceInformation says of a share.
const (
	DeviceDisk     = 0x07
	DeviceReadOnly = 0x02
	DeviceMounted  = 0x20
)

// DeviceInformation tells what a volume lies on ([MS-FSCC]
// FileFsDeviceInformation).
type DeviceInformation struct {
	DeviceType      uint32
	Characteristics uint32
}

// Decode reads the information.
func (i *DeviceInformation) Decode(r *cursor.Reader) {
	i.DeviceType = r.U32()
	i.Characteristics = r.U32()
}

// Encode writes the information.
func (i *DeviceInformation) Encode(w *cursor.Writer) {
	w.U32(i.DeviceType)
	w.U32(i.Characteristics)
}

// FSAttributes are abilities of a volume ([MS-FSCC]
// FileFsAttributeInformation).
type FSAttributes uint32

// The abilities.
const (
	FSCaseSensitiveSearch FSAttributes = 0x00000001 // can tell apart names that differ in case
	FSCasePreserved       FSAttributes = 0x00000002
	FSUnicodeOnDisk       FSAttributes = 0x00000004
	FSPersistentACLs      FSAttributes = 0x00000008
	FSCompression         FSAttributes = 0x00000010
	FSQuotas              FSAttributes = 0x00000020
	FSSparseFiles         FSAttributes = 0x00000040
	FSReparsePoints       FSAttributes = 0x00000080
	FSObjectIDs           FSAttributes = 0x00010000
	FSNamedStreams        FSAttributes = 0x00040000
	FSReadOnly            FSAttributes = 0x00080000
	FSHardLinks           FSAttributes = 0x00400000
	FSExtendedAttributes  FSAttributes = 0x00800000
	FSOpenByFileID        FSAttributes = 0x01000000
	FSBlockRefcounting    FSAttributes = 0x08000000
)

// AttributeInformation tells what a volume can do ([MS-FSCC]
// FileFsAttributeInformation).
type AttributeInformation struct {
	Attributes             FSAttributes
	MaximumComponentLength uint32 // of a name, in characters
	Name                   string // of the kind of file system
}

// Decode reads the information.
func (i *AttributeInformation) Decode(r *cursor.Reader) {
	i.Attributes = FSAttributes(r.U32())
	i.MaximumComponentLength = r.U32()
	i.Name = readName(r)
}

// Encode writes the information.
func (i *AttributeInformation) Encode(w *cursor.Writer) {
	w.U32(uint32(i.Attributes))
	w.U32(i.MaximumComponentLength)
	writeName(w, i.Name)
}

// ControlInformation are the quotas of a volume ([MS-FSCC]
// FileFsControlInformation).
type ControlInformation struct {
	StartFiltering, Threshold, StopFiltering uint64 // of free space, for content indexing
	DefaultQuotaThreshold, DefaultQuotaLimit uint64 // 1<<64-1: none
	Flags                                    uint32
}

// Decode reads the information.
func (i *ControlInformation) Decode(r *cursor.Reader) {
	i.StartFiltering = r.U64()
	i.Threshold = r.U64()
	i.StopFiltering = r.U64()
	i.DefaultQuotaThreshold = r.U64()
	i.DefaultQuotaLimit = r.U64()
	i.Flags = r.U32()
	r.U32() // Padding
}

// Encode writes the information.
func (i *ControlInformation) Encode(w *cursor.Writer) {
	w.U64(i.StartFiltering)
	w.U64(i.Threshold)
	w.U64(i.StopFiltering)
	w.U64(i.DefaultQuotaThreshold)
	w.U64(i.DefaultQuotaLimit)
	w.U32(i.Flags)
	w.U32(0)
}

// ObjectIDInformation is the identity of a volume ([MS-FSCC]
// FileFsObjectIdInformation).
type ObjectIDInformation struct {
	ObjectID [16]byte
	Extended [48]byte
}

// Decode reads the information.
func (i *ObjectIDInformation) Decode(r *cursor.Reader) {
	r.Copy(i.ObjectID[:])
	r.Copy(i.Extended[:])
}

// Encode writes the information.
func (i *ObjectIDInformation) Encode(w *cursor.Writer) {
	w.Bytes(i.ObjectID[:])
	w.Bytes(i.Extended[:])
}

// SectorSizeInformation are the sectors below a volume ([MS-FSCC]
// FileFsSectorSizeInformation).
type SectorSizeInformation struct {
	LogicalBytes     uint32 // that are addressed
	AtomicBytes      uint32 // that the disk writes whole
	PerformanceBytes uint32 // that it writes fast
	EffectiveBytes   uint32 // that the file system takes for whole
	Flags            uint32 // see SectorAligned and the like
	SectorAlignment  uint32 // of the first logical sector in a physical one
	PartitionOffset  uint32 // of the partition in a physical sector
}

// Flags of SectorSizeInformation.
const (
	SectorAligned          = 0x01
	SectorPartitionAligned = 0x02
	SectorNoSeekPenalty    = 0x04
	SectorTrim             = 0x08
)

// Decode reads the information.
func (i *SectorSizeInformation) Decode(r *cursor.Reader) {
	i.LogicalBytes = r.U32()
	i.AtomicBytes = r.U32()
	i.PerformanceBytes = r.U32()
	i.EffectiveBytes = r.U32()
	i.Flags = r.U32()
	i.SectorAlignment = r.U32()
	i.PartitionOffset = r.U32()
}

// Encode writes the information.
func (i *SectorSizeInformation) Encode(w *cursor.Writer) {
	w.U32(i.LogicalBytes)
	w.U32(i.AtomicBytes)
	w.U32(i.PerformanceBytes)
	w.U32(i.EffectiveBytes)
	w.U32(i.Flags)
	w.U32(i.SectorAlignment)
	w.U32(i.PartitionOffset)
}
