package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// ReadRequest reads from an open fork. It serves Read and ReadExt; the former
// has Offset and Count of 32 bits.
type ReadRequest struct {
	Command     Command
	Fork        ForkID
	Offset      int64
	Count       int64
	NewlineMask uint8 // of Read: a byte that is NewlineChar under it, if it is
	NewlineChar uint8 // not 0, ends the read
}

// Decode reads the message.
func (m *ReadRequest) Decode(r *cursor.Reader) {
	*m = ReadRequest{Command: beginOne(r, ReadExt, Read)}
	r.U8() // Pad
	m.Fork = ForkID(r.BE16())
	m.Offset = readOffset(r, m.Command == ReadExt)
	m.Count = readOffset(r, m.Command == ReadExt)
	if m.Command == Read {
		m.NewlineMask = r.U8()
		m.NewlineChar = r.U8()
	}
}

// Encode writes the message.
func (m *ReadRequest) Encode(w *cursor.Writer) {
	padded(w, m.Command)
	w.BE16(uint16(m.Fork))
	writeOffset(w, m.Offset, m.Command == ReadExt)
	writeOffset(w, m.Count, m.Command == ReadExt)
	if m.Command == Read {
		w.U8(m.NewlineMask)
		w.U8(m.NewlineChar)
	}
}

// ReadReply brings what was read, also with ResultEOFErr and ResultLockErr,
// which say what ended it.
type ReadReply struct {
	Data []byte // copied by Encode only if it stands elsewhere, see cursor.Writer.Free
}

// Decode reads the reply block.
func (m *ReadReply) Decode(r *cursor.Reader) { m.Data = r.Rest() }

// Encode writes the reply block.
func (m *ReadReply) Encode(w *cursor.Writer) { w.Bytes(m.Data) }
