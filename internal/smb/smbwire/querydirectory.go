package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// QueryDirectoryFlags say where an enumeration goes on ([MS-SMB2] 2.2.33).
type QueryDirectoryFlags uint8

// The flags.
const (
	QueryRestartScans   QueryDirectoryFlags = 0x01 // from the start, with a new pattern
	QuerySingleEntry    QueryDirectoryFlags = 0x02
	QueryIndexSpecified QueryDirectoryFlags = 0x04
	QueryReopen         QueryDirectoryFlags = 0x10 // as if the folder were opened anew
)

// QueryDirectoryRequest asks for the next entries of an open folder
// ([MS-SMB2] 2.2.33).
type QueryDirectoryRequest struct {
	Class              FileInfoClass
	Flags              QueryDirectoryFlags
	FileIndex          uint32 // where to resume, with QueryIndexSpecified
	FileID             FileID
	OutputBufferLength uint32
	FileName           string // pattern; "" means all, or the pattern before
}

const (
	queryDirectoryRequestSize  = 33
	queryDirectoryRequestFixed = 32
)

// Decode reads the message body.
func (m *QueryDirectoryRequest) Decode(r *cursor.Reader) {
	expectSize(r, queryDirectoryRequestSize)
	m.Class = FileInfoClass(r.U8())
	m.Flags = QueryDirectoryFlags(r.U8())
	m.FileIndex = r.U32()
	m.FileID.decode(r)
	off, n := r.U16(), r.U16()
	m.OutputBufferLength = r.U32()
	m.FileName = text(r, uint32(off), uint32(n), queryDirectoryRequestFixed)
}

// Encode writes the message body.
func (m *QueryDirectoryRequest) Encode(w *cursor.Writer) {
	n := UTF16Size(m.FileName)
	w.U16(queryDirectoryRequestSize)
	w.U8(uint8(m.Class))
	w.U8(uint8(m.Flags))
	w.U32(m.FileIndex)
	m.FileID.encode(w)
	w.U16(HeaderSize + queryDirectoryRequestFixed)
	w.U16(uint16(n))
	w.U32(m.OutputBufferLength)
	WriteUTF16(w, m.FileName)
	padding(w, n)
}

// QueryDirectoryResponse carries entries, chained as DirectoryBatch lays them
// out ([MS-SMB2] 2.2.34).
type QueryDirectoryResponse struct {
	Data []byte
}

// QueryDirectoryResponseData is where the data of the response begins, counted
// from its header.
const QueryDirectoryResponseData = HeaderSize + outputFixed

// Decode reads the message body.
func (m *QueryDirectoryResponse) Decode(r *cursor.Reader) { m.Data = decodeOutput(r) }

// Encode writes the message body.
func (m *QueryDirectoryResponse) Encode(w *cursor.Writer) { encodeOutput(w, m.Data) }

// QUERY_DIRECTORY, QUERY_INFO and CHANGE_NOTIFY answer in one form: an offset,
// a length and bytes.
const (
	outputSize  = 9
	outputFixed = 8
)

func decodeOutput(r *cursor.Reader) []byte {
	expectSize(r, outputSize)
	off, n := r.U16(), r.U32()
	return variable(r, uint32(off), n, outputFixed)
}

func encodeOutput(w *cursor.Writer, data []byte) {
	w.U16(outputSize)
	w.U16(HeaderSize + outputFixed)
	w.U32(uint32(len(data)))
	w.Bytes(data)
}
