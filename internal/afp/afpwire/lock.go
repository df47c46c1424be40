package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// ByteRangeLockRequest locks or unlocks bytes of an open fork. It serves
// ByteRangeLock and ByteRangeLockExt; the former has Offset and Length of 32
// bits.
type ByteRangeLockRequest struct {
	Command Command
	Unlock  bool
	FromEnd bool // Offset counts from the end of the fork; not with Unlock
	Fork    ForkID
	Offset  int64
	Length  int64 // LockToEnd: all that follows
}

// LockToEnd is the Length of a lock on everything from Offset.
const LockToEnd = -1

const lockUnlock = 0x01

// Decode reads the message.
func (m *ByteRangeLockRequest) Decode(r *cursor.Reader) {
	m.Command = beginOne(r, ByteRangeLockExt, ByteRangeLock)
	flags := r.U8()
	m.Unlock = flags&lockUnlock != 0
	m.FromEnd = flags&highBit != 0
	m.Fork = ForkID(r.BE16())
	m.Offset = readOffset(r, m.Command == ByteRangeLockExt)
	m.Length = readOffset(r, m.Command == ByteRangeLockExt)
}

// Encode writes the message.
func (m *ByteRangeLockRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(m.Command))
	w.U8(flagged(m.Unlock, lockUnlock) | flagged(m.FromEnd, highBit))
	w.BE16(uint16(m.Fork))
	writeOffset(w, m.Offset, m.Command == ByteRangeLockExt)
	writeOffset(w, m.Length, m.Command == ByteRangeLockExt)
}

// ByteRangeLockReply tells where the range begins.
type ByteRangeLockReply struct {
	Command Command // that was sent; set it before Decode

	Start int64
}

// Decode reads the reply block.
func (m *ByteRangeLockReply) Decode(r *cursor.Reader) {
	m.Start = readOffset(r, m.Command == ByteRangeLockExt)
}

// Encode writes the reply block.
func (m *ByteRangeLockReply) Encode(w *cursor.Writer) {
	writeOffset(w, m.Start, m.Command == ByteRangeLockExt)
}
