package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// QueryInfoFlags go with a query of extended attributes ([MS-SMB2] 2.2.37).
type QueryInfoFlags uint32

// The flags.
const (
	QueryInfoRestart QueryInfoFlags = 0x01
	QueryInfoSingle  QueryInfoFlags = 0x02
	QueryInfoIndex   QueryInfoFlags = 0x04
)

// QueryInfoRequest asks what is known about an open file, its volume or its
// security ([MS-SMB2] 2.2.37).
type QueryInfoRequest struct {
	Type                  InfoType
	Class                 uint8 // a FileInfoClass or an FSInfoClass, by Type
	OutputBufferLength    uint32
	AdditionalInformation uint32 // a SecurityInformation, or an index into extended attributes
	Flags                 QueryInfoFlags
	FileID                FileID
	Input                 []byte // names of extended attributes, or of whom a quota is asked
}

const (
	queryInfoRequestSize  = 41
	queryInfoRequestFixed = 40
)

// Decode reads the message body.
func (m *QueryInfoRequest) Decode(r *cursor.Reader) {
	expectSize(r, queryInfoRequestSize)
	m.Type = InfoType(r.U8())
	m.Class = r.U8()
	m.OutputBufferLength = r.U32()
	off := r.U16()
	r.U16() // Reserved
	n := r.U32()
	m.AdditionalInformation = r.U32()
	m.Flags = QueryInfoFlags(r.U32())
	m.FileID.decode(r)
	m.Input = variable(r, uint32(off), n, queryInfoRequestFixed)
}

// Encode writes the message body.
func (m *QueryInfoRequest) Encode(w *cursor.Writer) {
	w.U16(queryInfoRequestSize)
	w.U8(uint8(m.Type))
	w.U8(m.Class)
	w.U32(m.OutputBufferLength)
	w.U16(HeaderSize + queryInfoRequestFixed)
	w.U16(0)
	w.U32(uint32(len(m.Input)))
	w.U32(m.AdditionalInformation)
	w.U32(uint32(m.Flags))
	m.FileID.encode(w)
	w.Bytes(m.Input)
	padding(w, len(m.Input))
}

// QueryInfoResponse carries the information, in the layout asked for
// ([MS-SMB2] 2.2.38).
type QueryInfoResponse struct {
	Data []byte
}

// QueryInfoResponseData is where the data of the response begins, counted from
// its header.
const QueryInfoResponseData = HeaderSize + outputFixed

// Decode reads the message body.
func (m *QueryInfoResponse) Decode(r *cursor.Reader) { m.Data = decodeOutput(r) }

// Encode writes the message body.
func (m *QueryInfoResponse) Encode(w *cursor.Writer) { encodeOutput(w, m.Data) }
