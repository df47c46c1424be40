package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// FlushRequest asks that a file be on the disk ([MS-SMB2] 2.2.17).
type FlushRequest struct {
	FileID FileID
}

const flushRequestSize = 24

// Decode reads the message body.
func (m *FlushRequest) Decode(r *cursor.Reader) {
	expectSize(r, flushRequestSize)
	r.U16() // Reserved1
	r.U32() // Reserved2
	m.FileID.decode(r)
}

// Encode writes the message body.
func (m *FlushRequest) Encode(w *cursor.Writer) {
	w.U16(flushRequestSize)
	w.U16(0)
	w.U32(0)
	m.FileID.encode(w)
}

// FlushResponse says that it is ([MS-SMB2] 2.2.18).
type FlushResponse struct{ empty }
