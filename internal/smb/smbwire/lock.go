package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// LockFlags say what to do with a range.
type LockFlags uint32

// The lock flags.
const (
	LockShared          LockFlags = 0x01
	LockExclusive       LockFlags = 0x02
	LockUnlock          LockFlags = 0x04
	LockFailImmediately LockFlags = 0x10
)

// LockElement is one range of a LOCK ([MS-SMB2] 2.2.26.1).
type LockElement struct {
	Offset uint64
	Length uint64
	Flags  LockFlags
}

// LockRequest locks or unlocks ranges of an open ([MS-SMB2] 2.2.26).
type LockRequest struct {
	LockSequence uint32 // see LockSequenceNumber and LockSequenceIndex
	FileID       FileID
	Locks        []LockElement
}

const (
	lockRequestSize = 48 // with the first element
	lockElementSize = 24
)

// LockSequenceNumber and LockSequenceIndex let a server recognise a LOCK that
// was sent again after a reconnect ([MS-SMB2] 3.3.5.14). Index 0 is none.
func (m *LockRequest) LockSequenceNumber() uint8 { return uint8(m.LockSequence & 0xf) }

// LockSequenceIndex is documented with LockSequenceNumber.
func (m *LockRequest) LockSequenceIndex() uint32 { return m.LockSequence >> 4 }

// Decode reads the message body.
func (m *LockRequest) Decode(r *cursor.Reader) {
	expectSize(r, lockRequestSize)
	n := int(r.U16())
	m.LockSequence = r.U32()
	m.FileID.decode(r)
	m.Locks = m.Locks[:0]
	if n == 0 || n > r.Len()/lockElementSize {
		r.Failf("%d locks in %d bytes", n, r.Len())
		return
	}
	for range n {
		l := LockElement{Offset: r.U64(), Length: r.U64(), Flags: LockFlags(r.U32())}
		r.U32() // Reserved
		m.Locks = append(m.Locks, l)
	}
}

// Encode writes the message body.
func (m *LockRequest) Encode(w *cursor.Writer) {
	w.U16(lockRequestSize)
	w.U16(uint16(len(m.Locks)))
	w.U32(m.LockSequence)
	m.FileID.encode(w)
	for _, l := range m.Locks {
		w.U64(l.Offset)
		w.U64(l.Length)
		w.U32(uint32(l.Flags))
		w.U32(0)
	}
}

// LockResponse says that all of it was done ([MS-SMB2] 2.2.27).
type LockResponse struct{ empty }
