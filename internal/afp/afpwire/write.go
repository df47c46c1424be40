package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// WriteRequest writes the data of its DSIWrite to an open fork. It serves Write
// and WriteExt; the former has Offset and Count of 32 bits.
type WriteRequest struct {
	Command Command
	FromEnd bool // Offset counts from the end of the fork
	Fork    ForkID
	Offset  int64
	Count   int64 // the length of the data
}

// Decode reads the message.
func (m *WriteRequest) Decode(r *cursor.Reader) {
	m.Command = beginOne(r, WriteExt, Write)
	m.FromEnd = r.U8()&highBit != 0
	m.Fork = ForkID(r.BE16())
	m.Offset = readOffset(r, m.Command == WriteExt)
	m.Count = readOffset(r, m.Command == WriteExt)
}

// Encode writes the message.
func (m *WriteRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(m.Command))
	w.U8(flagged(m.FromEnd, highBit))
	w.BE16(uint16(m.Fork))
	writeOffset(w, m.Offset, m.Command == WriteExt)
	writeOffset(w, m.Count, m.Command == WriteExt)
}

// WriteReply tells where the written data ends in the fork.
type WriteReply struct {
	Command Command // that was sent; set it before Decode

	End int64
}

// Decode reads the reply block.
func (m *WriteReply) Decode(r *cursor.Reader) { m.End = readOffset(r, m.Command == WriteExt) }

// Encode writes the reply block.
func (m *WriteReply) Encode(w *cursor.Writer) { writeOffset(w, m.End, m.Command == WriteExt) }
