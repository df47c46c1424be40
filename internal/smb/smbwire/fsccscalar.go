package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// InternalInformation is the 64-bit id of a file ([MS-FSCC]
// FileInternalInformation).
type InternalInformation struct{ FileID uint64 }

// Decode reads the information.
func (i *InternalInformation) Decode(r *cursor.Reader) { i.FileID = r.U64() }

// Encode writes the information.
func (i *InternalInformation) Encode(w *cursor.Writer) { w.U64(i.FileID) }

// EAInformation is the size of the extended attributes ([MS-FSCC]
// FileEaInformation).
type EAInformation struct{ EASize uint32 }

// Decode reads the information.
func (i *EAInformation) Decode(r *cursor.Reader) { i.EASize = r.U32() }

// Encode writes the information.
func (i *EAInformation) Encode(w *cursor.Writer) { w.U32(i.EASize) }

// AccessInformation are the rights of an open ([MS-FSCC]
// FileAccessInformation).
type AccessInformation struct{ Access AccessMask }

// Decode reads the information.
func (i *AccessInformation) Decode(r *cursor.Reader) { i.Access = AccessMask(r.U32()) }

// Encode writes the information.
func (i *AccessInformation) Encode(w *cursor.Writer) { w.U32(uint32(i.Access)) }

// PositionInformation is the byte that a read without an offset would begin at;
// SMB2 has no such reads, the number is only kept ([MS-FSCC]
// FilePositionInformation).
type PositionInformation struct{ Position uint64 }

// Decode reads the information.
func (i *PositionInformation) Decode(r *cursor.Reader) { i.Position = r.U64() }

// Encode writes the information.
func (i *PositionInformation) Encode(w *cursor.Writer) { w.U64(i.Position) }

// ModeInformation are those create options that an open keeps, such as
// writing through ([MS-FSCC] FileModeInformation).
type ModeInformation struct{ Mode uint32 }

// Decode reads the information.
func (i *ModeInformation) Decode(r *cursor.Reader) { i.Mode = r.U32() }

// Encode writes the information.
func (i *ModeInformation) Encode(w *cursor.Writer) { w.U32(i.Mode) }

// AlignmentInformation is what buffers must be aligned to; 0 is a byte
// ([MS-FSCC] FileAlignmentInformation).
type AlignmentInformation struct{ Alignment uint32 }

// Decode reads the information.
func (i *AlignmentInformation) Decode(r *cursor.Reader) { i.Alignment = r.U32() }

// Encode writes the information.
func (i *AlignmentInformation) Encode(w *cursor.Writer) { w.U32(i.Alignment) }

// EndOfFileInformation sets the size of a file ([MS-FSCC]
// FileEndOfFileInformation).
type EndOfFileInformation struct{ EndOfFile uint64 }

// Decode reads the information.
func (i *EndOfFileInformation) Decode(r *cursor.Reader) { i.EndOfFile = r.U64() }

// Encode writes the information.
func (i *EndOfFileInformation) Encode(w *cursor.Writer) { w.U64(i.EndOfFile) }

// AllocationInformation reserves room for a file ([MS-FSCC]
// FileAllocationInformation).
type AllocationInformation struct{ AllocationSize uint64 }

// Decode reads the information.
func (i *AllocationInformation) Decode(r *cursor.Reader) { i.AllocationSize = r.U64() }

// Encode writes the information.
func (i *AllocationInformation) Encode(w *cursor.Writer) { w.U64(i.AllocationSize) }

// DispositionInformation marks a file for deletion, or no longer
// ([MS-FSCC] FileDispositionInformation).
type DispositionInformation struct{ DeletePending bool }

// Decode reads the information.
func (i *DispositionInformation) Decode(r *cursor.Reader) { i.DeletePending = r.U8() != 0 }

// Encode writes the information.
func (i *DispositionInformation) Encode(w *cursor.Writer) { writeBool(w, i.DeletePending) }

// DispositionFlags say how a file is deleted ([MS-FSCC]
// FileDispositionInformationEx).
type DispositionFlags uint32

// The flags.
const (
	DispositionDelete          DispositionFlags = 0x01
	DispositionPosix           DispositionFlags = 0x02 // the name goes at once, opens stay
	DispositionForceImageCheck DispositionFlags = 0x04
	DispositionOnClose         DispositionFlags = 0x08 // changes the open's delete-on-close
	DispositionIgnoreReadOnly  DispositionFlags = 0x10
)

// DispositionInformationEx is DispositionInformation with a choice of how.
type DispositionInformationEx struct{ Flags DispositionFlags }

// Decode reads the information.
func (i *DispositionInformationEx) Decode(r *cursor.Reader) { i.Flags = DispositionFlags(r.U32()) }

// Encode writes the information.
func (i *DispositionInformationEx) Encode(w *cursor.Writer) { w.U32(uint32(i.Flags)) }
