package cursor

import "encoding/binary"

// Writer appends a message to a buffer. Offsets are counted from where the
// Writer began, so that a message in the middle of a buffer has its own zero.
// A Writer is not safe for concurrent use.
type Writer struct {
	buf   []byte
	start int
}

// NewWriter returns a Writer that appends to buf; its offset 0 is len(buf).
func NewWriter(buf []byte) *Writer { return &Writer{buf: buf, start: len(buf)} }

// Reset makes w append to buf, with offset 0 at len(buf).
func (w *Writer) Reset(buf []byte) { *w = Writer{buf: buf, start: len(buf)} }

// Buffer returns the whole buffer, with what stood before the message.
func (w *Writer) Buffer() []byte { return w.buf }

// Message returns what this Writer wrote.
func (w *Writer) Message() []byte { return w.buf[w.start:] }

// Len returns how many bytes were written, the offset of the next one.
func (w *Writer) Len() int { return len(w.buf) - w.start }

// Free returns an empty slice over the unused space behind the message, grown
// to hold n bytes. A handler may fill it (a READ reads from the disk straight
// into its reply) and hand it to Bytes, which then copies nothing. off leaves
// room for the fields that will be written in between.
func (w *Writer) Free(off, n int) []byte {
	w.reserve(off + n)
	at := len(w.buf) + off
	return w.buf[at : at : at+n]
}

func (w *Writer) reserve(n int) {
	if cap(w.buf)-len(w.buf) < n {
		grown := make([]byte, len(w.buf), 2*cap(w.buf)+n)
		copy(grown, w.buf)
		w.buf = grown
	}
}

// Bytes appends b. If b already stands at the end (see Free), it stays there.
func (w *Writer) Bytes(b []byte) {
	if n := len(w.buf); len(b) > 0 && cap(w.buf)-n >= len(b) {
		if end := w.buf[:n+1]; &end[n] == &b[0] {
			w.buf = w.buf[:n+len(b)]
			return
		}
	}
	w.buf = append(w.buf, b...)
}

// Zero appends n zero bytes.
func (w *Writer) Zero(n int) {
	for ; n >= 8; n -= 8 {
		w.buf = append(w.buf, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	for ; n > 0; n-- {
		w.buf = append(w.buf, 0)
	}
}

// Align appends zeros until Len is a multiple of n.
func (w *Writer) Align(n int) { w.Zero((n - w.Len()%n) % n) }

// U8 appends one byte.
func (w *Writer) U8(v uint8) { w.buf = append(w.buf, v) }

// U16 appends a little-endian 16-bit integer.
func (w *Writer) U16(v uint16) { w.buf = binary.LittleEndian.AppendUint16(w.buf, v) }

// U32 appends a little-endian 32-bit integer.
func (w *Writer) U32(v uint32) { w.buf = binary.LittleEndian.AppendUint32(w.buf, v) }

// U64 appends a little-endian 64-bit integer.
func (w *Writer) U64(v uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, v) }

// BE16 appends a big-endian 16-bit integer.
func (w *Writer) BE16(v uint16) { w.buf = binary.BigEndian.AppendUint16(w.buf, v) }

// BE32 appends a big-endian 32-bit integer.
func (w *Writer) BE32(v uint32) { w.buf = binary.BigEndian.AppendUint32(w.buf, v) }

// BE64 appends a big-endian 64-bit integer.
func (w *Writer) BE64(v uint64) { w.buf = binary.BigEndian.AppendUint64(w.buf, v) }

// PutU8 overwrites the byte at offset off.
func (w *Writer) PutU8(off int, v uint8) { w.buf[w.start+off] = v }

// PutU16 overwrites the little-endian integer at offset off.
func (w *Writer) PutU16(off int, v uint16) { binary.LittleEndian.PutUint16(w.buf[w.start+off:], v) }

// PutU32 overwrites the little-endian integer at offset off.
func (w *Writer) PutU32(off int, v uint32) { binary.LittleEndian.PutUint32(w.buf[w.start+off:], v) }

// PutU64 overwrites the little-endian integer at offset off.
func (w *Writer) PutU64(off int, v uint64) { binary.LittleEndian.PutUint64(w.buf[w.start+off:], v) }

// PutBE16 overwrites the big-endian integer at offset off.
func (w *Writer) PutBE16(off int, v uint16) { binary.BigEndian.PutUint16(w.buf[w.start+off:], v) }

// PutBE32 overwrites the big-endian integer at offset off.
func (w *Writer) PutBE32(off int, v uint32) { binary.BigEndian.PutUint32(w.buf[w.start+off:], v) }

// Truncate drops what was written after offset off.
func (w *Writer) Truncate(off int) { w.buf = w.buf[:w.start+off] }
