package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// NotifyWatchTree in a CHANGE_NOTIFY asks for changes in all folders below.
const NotifyWatchTree uint16 = 0x0001

// ChangeNotifyRequest asks to be told of changes in a folder
// ([MS-SMB2] 2.2.35).
type ChangeNotifyRequest struct {
	Flags              uint16
	OutputBufferLength uint32
	FileID             FileID
	CompletionFilter   uint32
}

const (
	changeNotifyRequestSize  = 32
	changeNotifyResponseSize = 9
)

// Decode reads the message body.
func (m *ChangeNotifyRequest) Decode(r *cursor.Reader) {
	expectSize(r, changeNotifyRequestSize)
	m.Flags = r.U16()
	m.OutputBufferLength = r.U32()
	m.FileID.decode(r)
	m.CompletionFilter = r.U32()
	r.U32() // Reserved
}

// Encode writes the message body.
func (m *ChangeNotifyRequest) Encode(w *cursor.Writer) {
	w.U16(changeNotifyRequestSize)
	w.U16(m.Flags)
	w.U32(m.OutputBufferLength)
	m.FileID.encode(w)
	w.U32(m.CompletionFilter)
	w.U32(0)
}

// ChangeNotifyResponse tells what changed ([MS-SMB2] 2.2.36).
type ChangeNotifyResponse struct {
	Buffer []byte // a chain of FILE_NOTIFY_INFORMATION
}

// Decode reads the message body.
func (m *ChangeNotifyResponse) Decode(r *cursor.Reader) {
	expectSize(r, changeNotifyResponseSize)
	off, n := r.U16(), r.U32()
	m.Buffer = variable(r, uint32(off), n, changeNotifyResponseSize-1)
}

// Encode writes the message body.
func (m *ChangeNotifyResponse) Encode(w *cursor.Writer) {
	w.U16(changeNotifyResponseSize)
	w.U16(HeaderSize + changeNotifyResponseSize - 1)
	w.U32(uint32(len(m.Buffer)))
	w.Bytes(m.Buffer)
	padding(w, len(m.Buffer))
}
