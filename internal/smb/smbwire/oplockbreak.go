package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// OplockBreakMessage is the one form of three messages: the notification that
// an oplock is to go down to a level, the client's acknowledgement, and the
// server's response to that ([MS-SMB2] 2.2.23.1, 2.2.24.1, 2.2.25.1).
type OplockBreakMessage struct {
	OplockLevel OplockLevel
	FileID      FileID
}

const oplockBreakSize = 24

// Decode reads the message body. The acknowledgement of a lease has another
// size and is refused.
func (m *OplockBreakMessage) Decode(r *cursor.Reader) {
	expectSize(r, oplockBreakSize)
	m.OplockLevel = OplockLevel(r.U8())
	r.U8()  // Reserved
	r.U32() // Reserved2
	m.FileID.decode(r)
}

// Encode writes the message body.
func (m *OplockBreakMessage) Encode(w *cursor.Writer) {
	w.U16(oplockBreakSize)
	w.U8(uint8(m.OplockLevel))
	w.U8(0)
	w.U32(0)
	m.FileID.encode(w)
}
