package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// SetInfoRequest changes what is known about an open file, its volume or its
// security ([MS-SMB2] 2.2.39).
type SetInfoRequest struct {
	Type                  InfoType
	Class                 uint8  // a FileInfoClass or an FSInfoClass, by Type
	AdditionalInformation uint32 // a SecurityInformation
	FileID                FileID
	Data                  []byte // in the layout of Class
}

const (
	setInfoRequestSize  = 33
	setInfoRequestFixed = 32
)

// Decode reads the message body.
func (m *SetInfoRequest) Decode(r *cursor.Reader) {
	expectSize(r, setInfoRequestSize)
	m.Type = InfoType(r.U8())
	m.Class = r.U8()
	n, off := r.U32(), r.U16()
	r.U16() // Reserved
	m.AdditionalInformation = r.U32()
	m.FileID.decode(r)
	m.Data = variable(r, uint32(off), n, setInfoRequestFixed)
}

// Encode writes the message body.
func (m *SetInfoRequest) Encode(w *cursor.Writer) {
	w.U16(setInfoRequestSize)
	w.U8(uint8(m.Type))
	w.U8(m.Class)
	w.U32(uint32(len(m.Data)))
	w.U16(HeaderSize + setInfoRequestFixed)
	w.U16(0)
	w.U32(m.AdditionalInformation)
	m.FileID.encode(w)
	w.Bytes(m.Data)
	padding(w, len(m.Data))
}

// SetInfoResponse confirms a change ([MS-SMB2] 2.2.40).
type SetInfoResponse struct{}

const setInfoResponseSize = 2

// Decode reads the message body.
func (*SetInfoResponse) Decode(r *cursor.Reader) { expectSize(r, setInfoResponseSize) }

// Encode writes the message body.
func (*SetInfoResponse) Encode(w *cursor.Writer) { w.U16(setInfoResponseSize) }
