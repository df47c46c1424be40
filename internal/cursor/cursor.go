// Package cursor reads and writes binary messages within bounds.
//
// A Reader remembers its first error and returns zeros from then on; a Writer
// grows as it is filled. Decode and Encode methods are therefore plain lists
// of fields, with one check of Err at the end. Integers are little-endian, as in
// SMB, in the plain methods, and big-endian, as in AFP, in those with BE.
package cursor

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrShort is the error of a Reader that was asked for more than there is.
var ErrShort = errors.New("message too short")

// Reader consumes a message from its start. The zero Reader is empty.
// A Reader is not safe for concurrent use.
type Reader struct {
	all []byte
	pos int
	err error
}

// NewReader returns a Reader over b, which it does not copy.
func NewReader(b []byte) *Reader { return &Reader{all: b} }

// Reset makes r read b from its start.
func (r *Reader) Reset(b []byte) { *r = Reader{all: b} }

// Err returns the first error, nil if all reads were within bounds.
func (r *Reader) Err() error { return r.err }

// Fail records err unless an error came before it.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Failf is Fail with a formatted error.
func (r *Reader) Failf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// Pos returns how many bytes were read.
func (r *Reader) Pos() int { return r.pos }

// Len returns how many bytes are left.
func (r *Reader) Len() int { return len(r.all) - r.pos }

// take returns the next n bytes, or nil and an error.
func (r *Reader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > len(r.all)-r.pos {
		r.err = ErrShort
		return nil
	}
	b := r.all[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

// Bytes returns the next n bytes, which alias the message.
func (r *Reader) Bytes(n int) []byte { return r.take(n) }

// Rest returns all that is left, which aliases the message.
func (r *Reader) Rest() []byte { return r.take(r.Len()) }

// Skip passes over n bytes.
func (r *Reader) Skip(n int) { r.take(n) }

// Seek continues at pos, counted from the start of the message.
func (r *Reader) Seek(pos int) {
	if r.err != nil {
		return
	}
	if pos < 0 || pos > len(r.all) {
		r.err = ErrShort
		return
	}
	r.pos = pos
}

// Align passes over bytes until the position is a multiple of n, or to the end.
func (r *Reader) Align(n int) {
	if r.err == nil {
		r.pos = min((r.pos+n-1)/n*n, len(r.all))
	}
}

// Slice returns n bytes at offset off of the whole message, wherever the
// position is; it does not move it. Variable parts of SMB messages are
// addressed so.
func (r *Reader) Slice(off, n int) []byte {
	if r.err != nil {
		return nil
	}
	if off < 0 || n < 0 || off > len(r.all) || n > len(r.all)-off {
		r.err = ErrShort
		return nil
	}
	return r.all[off : off+n : off+n]
}

// U8 reads one byte.
func (r *Reader) U8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 reads a little-endian 16-bit integer.
func (r *Reader) U16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 reads a little-endian 32-bit integer.
func (r *Reader) U32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a little-endian 64-bit integer.
func (r *Reader) U64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// BE16 reads a big-endian 16-bit integer.
func (r *Reader) BE16() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

// BE32 reads a big-endian 32-bit integer.
func (r *Reader) BE32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// BE64 reads a big-endian 64-bit integer.
func (r *Reader) BE64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// Copy fills dst.
func (r *Reader) Copy(dst []byte) { copy(dst, r.take(len(dst))) }
