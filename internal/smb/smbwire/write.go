package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// Flags of a WRITE.
const (
	WriteWriteThrough uint32 = 0x01 // answer when the data is on the disk
	WriteUnbuffered   uint32 = 0x02
)

// WriteRequest changes bytes of an open ([MS-SMB2] 2.2.21).
type WriteRequest struct {
	Offset         uint64
	FileID         FileID
	Channel        uint32 // nonzero selects RDMA, which is not spoken here
	RemainingBytes uint32
	Flags          uint32
	Data           []byte // aliases the message
}

const (
	writeRequestSize  = 49
	writeResponseSize = 17
)

// Decode reads the message body.
func (m *WriteRequest) Decode(r *cursor.Reader) {
	expectSize(r, writeRequestSize)
	off := r.U16()
	n := r.U32()
	m.Offset = r.U64()
	m.FileID.decode(r)
	m.Channel = r.U32()
	m.RemainingBytes = r.U32()
	r.U32() // WriteChannelInfo offset and length: RDMA only
	m.Flags = r.U32()
	m.Data = variable(r, uint32(off), n, writeRequestSize-1)
}

// Encode writes the message body.
func (m *WriteRequest) Encode(w *cursor.Writer) {
	w.U16(writeRequestSize)
	w.U16(HeaderSize + writeRequestSize - 1)
	w.U32(uint32(len(m.Data)))
	w.U64(m.Offset)
	m.FileID.encode(w)
	w.U32(m.Channel)
	w.U32(m.RemainingBytes)
	w.U32(0)
	w.U32(m.Flags)
	w.Bytes(m.Data)
	padding(w, len(m.Data))
}

// WriteResponse says how many bytes were written ([MS-SMB2] 2.2.22).
type WriteResponse struct {
	Count     uint32
	Remaining uint32
}

// Decode reads the message body.
func (m *WriteResponse) Decode(r *cursor.Reader) {
	expectSize(r, writeResponseSize)
	r.U16() // Reserved
	m.Count = r.U32()
	m.Remaining = r.U32()
	r.U32() // WriteChannelInfo offset and length: not used
}

// Encode writes the message body.
func (m *WriteResponse) Encode(w *cursor.Writer) {
	w.U16(writeResponseSize)
	w.U16(0)
	w.U32(m.Count)
	w.U32(m.Remaining)
	w.U32(0)
	padding(w, 0)
}
