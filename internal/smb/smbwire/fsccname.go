package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// readName reads a length in bytes and a string of it.
func readName(r *cursor.Reader) string {
	n := r.U32()
	if n%2 != 0 {
		r.Failf("a string of %d bytes", n)
	}
	if int64(n) > int64(r.Len()) {
		r.Fail(cursor.ErrShort)
	}
	return DecodeUTF16(r.Bytes(int(n)))
}

// writeName writes what readName reads.
func writeName(w *cursor.Writer, s string) {
	at := w.Len()
	w.U32(0)
	WriteUTF16(w, s)
	w.PutU32(at, uint32(w.Len()-at-4))
}

// NameInformation is the layout of all classes that hold one name: the path in
// the share, the alternate (8.3) name, the normalized path and the label of a
// volume ([MS-FSCC] 2.1.7, FileFsLabelInformation).
type NameInformation struct{ Name string }

// Decode reads the information.
func (i *NameInformation) Decode(r *cursor.Reader) { i.Name = readName(r) }

// Encode writes the information.
func (i *NameInformation) Encode(w *cursor.Writer) { writeName(w, i.Name) }

// Stream is one stream of a file.
type Stream struct {
	Name           string // "::$DATA" for the data of the file itself
	Size           uint64
	AllocationSize uint64
}

// StreamInformation lists the streams of a file ([MS-FSCC]
// FileStreamInformation).
type StreamInformation struct{ Streams []Stream }

// Decode reads a list that extends to the end of r.
func (i *StreamInformation) Decode(r *cursor.Reader) {
	i.Streams = i.Streams[:0]
	for r.Err() == nil && r.Len() > 0 {
		start := r.Pos()
		next, n := r.U32(), r.U32()
		s := Stream{Size: r.U64(), AllocationSize: r.U64()}
		if n%2 != 0 || int64(n) > int64(r.Len()) {
			r.Failf("a stream name of %d bytes", n)
		}
		s.Name = DecodeUTF16(r.Bytes(int(n)))
		i.Streams = append(i.Streams, s)
		if next == 0 {
			return
		}
		if int64(next) < int64(r.Pos()-start) {
			r.Failf("streams are chained backwards")
		}
		r.Skip(int(next) - (r.Pos() - start)) // never backwards, even where an int has 32 bits
	}
}

// Encode writes the list.
func (i *StreamInformation) Encode(w *cursor.Writer) {
	start, last := w.Len(), -1
	for _, s := range i.Streams {
		w.Zero((8 - (w.Len()-start)%8) % 8)
		if last >= 0 {
			w.PutU32(last, uint32(w.Len()-last))
		}
		last = w.Len()
		w.U32(0) // NextEntryOffset
		w.U32(uint32(UTF16Size(s.Name)))
		w.U64(s.Size)
		w.U64(s.AllocationSize)
		WriteUTF16(w, s.Name)
	}
}

// RenameFlags say how a rename or a link treats its target ([MS-FSCC]
// FileRenameInformationEx, FileLinkInformationEx).
type RenameFlags uint32

// The flags. Classes without flags have a byte for the first.
const (
	RenameReplace         RenameFlags = 0x01
	RenamePosix           RenameFlags = 0x02 // the target may be open
	RenameSuppressPin     RenameFlags = 0x04
	RenameSuppressReserve RenameFlags = 0x08
	RenameIgnoreReadOnly  RenameFlags = 0x40
)

// RenameInformation gives a file another name, or as FileLinkInformation a
// further one, in the form of SMB2 ([MS-FSCC] FileRenameInformation for SMB2).
type RenameInformation struct {
	ReplaceIfExists bool
	RootDirectory   uint64 // 0 on the network
	FileName        string // path in the share
}

// Decode reads the information.
func (i *RenameInformation) Decode(r *cursor.Reader) {
	i.ReplaceIfExists = r.U8() != 0
	r.Skip(7) // Reserved
	i.RootDirectory = r.U64()
	i.FileName = readName(r)
}

// Encode writes the information.
func (i *RenameInformation) Encode(w *cursor.Writer) {
	writeBool(w, i.ReplaceIfExists)
	w.Zero(7)
	w.U64(i.RootDirectory)
	writeName(w, i.FileName)
}

// RenameInformationEx is RenameInformation with flags ([MS-FSCC]
// FileRenameInformationEx).
type RenameInformationEx struct {
	Flags         RenameFlags
	RootDirectory uint64 // 0 on the network
	FileName      string // path in the share
}

// Decode reads the information.
func (i *RenameInformationEx) Decode(r *cursor.Reader) {
	i.Flags = RenameFlags(r.U32())
	r.U32() // Reserved
	i.RootDirectory = r.U64()
	i.FileName = readName(r)
}

// Encode writes the information.
func (i *RenameInformationEx) Encode(w *cursor.Writer) {
	w.U32(uint32(i.Flags))
	w.U32(0)
	w.U64(i.RootDirectory)
	writeName(w, i.FileName)
}
