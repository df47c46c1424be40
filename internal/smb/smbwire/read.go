package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// Flags of a READ.
const (
	ReadUnbuffered        uint8 = 0x01
	ReadRequestCompressed uint8 = 0x02
)

// Channels over which the data of a READ or WRITE may go.
const (
	ChannelNone             uint32 = 0
	ChannelRDMAV1           uint32 = 1
	ChannelRDMAV1Invalidate uint32 = 2
	ChannelRDMATransform    uint32 = 3
)

// ReadRequest asks for bytes of an open ([MS-SMB2] 2.2.19).
type ReadRequest struct {
	Flags        uint8
	Length       uint32
	Offset       uint64
	FileID       FileID
	MinimumCount uint32 // fewer bytes than this is StatusEndOfFile
	Channel      uint32 // nonzero selects RDMA, which is not spoken here
	Remaining    uint32
}

const (
	readRequestSize  = 49
	readResponseSize = 17
)

// ReadDataOffset is where the data of a READ response begins; a server that
// fills it in place leaves this room.
const ReadDataOffset = HeaderSize + readResponseSize - 1

// Decode reads the message body.
func (m *ReadRequest) Decode(r *cursor.Reader) {
	expectSize(r, readRequestSize)
	r.U8() // Padding: where the client would like the data
	m.Flags = r.U8()
	m.Length = r.U32()
	m.Offset = r.U64()
	m.FileID.decode(r)
	m.MinimumCount = r.U32()
	m.Channel = r.U32()
	m.Remaining = r.U32()
	r.U32() // ReadChannelInfo offset and length: RDMA only
}

// Encode writes the message body.
func (m *ReadRequest) Encode(w *cursor.Writer) {
	w.U16(readRequestSize)
	w.U8(ReadDataOffset)
	w.U8(m.Flags)
	w.U32(m.Length)
	w.U64(m.Offset)
	m.FileID.encode(w)
	w.U32(m.MinimumCount)
	w.U32(m.Channel)
	w.U32(m.Remaining)
	w.U32(0)
	padding(w, 0)
}

// ReadResponse brings them ([MS-SMB2] 2.2.20).
type ReadResponse struct {
	Data          []byte // copied by Encode only if it stands elsewhere, see cursor.Writer.Free
	DataRemaining uint32
	Flags         uint32
}

// Decode reads the message body.
func (m *ReadResponse) Decode(r *cursor.Reader) {
	expectSize(r, readResponseSize)
	off := r.U8()
	r.U8() // Reserved
	n := r.U32()
	m.DataRemaining = r.U32()
	m.Flags = r.U32()
	m.Data = variable(r, uint32(off), n, readResponseSize-1)
}

// Encode writes the message body.
func (m *ReadResponse) Encode(w *cursor.Writer) {
	w.U16(readResponseSize)
	w.U8(ReadDataOffset)
	w.U8(0)
	w.U32(uint32(len(m.Data)))
	w.U32(m.DataRemaining)
	w.U32(m.Flags)
	w.Bytes(m.Data)
	padding(w, len(m.Data))
}
