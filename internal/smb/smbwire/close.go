package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// ClosePostQueryAttributes in a CLOSE asks for the attributes as they are
// after it.
const ClosePostQueryAttributes uint16 = 0x0001

// CloseRequest ends the use of an open ([MS-SMB2] 2.2.15).
type CloseRequest struct {
	Flags  uint16
	FileID FileID
}

const (
	closeRequestSize  = 24
	closeResponseSize = 60
)

// Decode reads the message body.
func (m *CloseRequest) Decode(r *cursor.Reader) {
	expectSize(r, closeRequestSize)
	m.Flags = r.U16()
	r.U32() // Reserved
	m.FileID.decode(r)
}

// Encode writes the message body.
func (m *CloseRequest) Encode(w *cursor.Writer) {
	w.U16(closeRequestSize)
	w.U16(m.Flags)
	w.U32(0)
	m.FileID.encode(w)
}

// CloseResponse says that the open is closed. Without
// ClosePostQueryAttributes in Flags the other fields are zero
// ([MS-SMB2] 2.2.16).
type CloseResponse struct {
	Flags          uint16
	CreationTime   FileTime
	LastAccessTime FileTime
	LastWriteTime  FileTime
	ChangeTime     FileTime
	AllocationSize uint64
	EndOfFile      uint64
	FileAttributes FileAttributes
}

// Decode reads the message body.
func (m *CloseResponse) Decode(r *cursor.Reader) {
	expectSize(r, closeResponseSize)
	m.Flags = r.U16()
	r.U32() // Reserved
	m.CreationTime = FileTime(r.U64())
	m.LastAccessTime = FileTime(r.U64())
	m.LastWriteTime = FileTime(r.U64())
	m.ChangeTime = FileTime(r.U64())
	m.AllocationSize = r.U64()
	m.EndOfFile = r.U64()
	m.FileAttributes = FileAttributes(r.U32())
}

// Encode writes the message body.
func (m *CloseResponse) Encode(w *cursor.Writer) {
	w.U16(closeResponseSize)
	w.U16(m.Flags)
	w.U32(0)
	w.U64(uint64(m.CreationTime))
	w.U64(uint64(m.LastAccessTime))
	w.U64(uint64(m.LastWriteTime))
	w.U64(uint64(m.ChangeTime))
	w.U64(m.AllocationSize)
	w.U64(m.EndOfFile)
	w.U32(uint32(m.FileAttributes))
}
