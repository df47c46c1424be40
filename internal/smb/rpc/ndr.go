package rpc

import (
	"unicode/utf16"

	"github.com/dozo-server/dozo/internal/cursor"
)

// decoder reads NDR, the transfer syntax of [C706] chapter 14: every number is
// aligned to its size from the start of the arguments. Like its Reader it
// remembers the first error.
type decoder struct{ cursor.Reader }

func (d *decoder) u16() uint16 {
	d.Align(2)
	return d.U16()
}

func (d *decoder) u32() uint32 {
	d.Align(4)
	return d.U32()
}

// pointer reads a unique pointer and reports whether it points to something,
// which then stands where the caller looks for it: behind the structure that
// the pointer is in.
func (d *decoder) pointer() bool { return d.u32() != 0 }

// count reads how many elements of at least size bytes an array has. More than
// the message can hold is an error, so a caller may make room for them.
func (d *decoder) count(size int) int {
	n := d.u32()
	if uint64(n)*uint64(size) > uint64(d.Len()) {
		d.Fail(cursor.ErrShort)
		return 0
	}
	return int(n)
}

// text reads a conformant varying array of UTF-16 units, without a NUL at its
// end.
func (d *decoder) text() string {
	room := d.u32()
	if start := d.u32(); start != 0 {
		d.Failf("string begins at %d", start)
	}
	n := d.count(2)
	if uint64(n) > uint64(room) {
		d.Failf("string of %d units in room for %d", n, room)
	}
	units := make([]uint16, n)
	for i := range units {
		units[i] = d.U16()
	}
	if n > 0 && units[n-1] == 0 {
		units = units[:n-1]
	}
	return string(utf16.Decode(units))
}

// optional reads a unique pointer to a string, "" for none.
func (d *decoder) optional() string {
	if !d.pointer() {
		return ""
	}
	return d.text()
}

// encoder writes NDR.
type encoder struct {
	cursor.Writer
	pointers uint32 // how many there are so far
}

func (e *encoder) u16(v uint16) {
	e.Align(2)
	e.U16(v)
}

func (e *encoder) u32(v uint32) {
	e.Align(4)
	e.U32(v)
}

// pointer writes a pointer to something the caller writes later, or nil.
func (e *encoder) pointer(set bool) {
	if !set {
		e.u32(0)
		return
	}
	e.pointers++
	e.u32(0x00020000 + 4*e.pointers) // any number but 0, each once
}

// text writes what a pointer to a string points to, with its NUL.
func (e *encoder) text(s string) { e.units(utf16.Encode([]rune(s + "\x00"))) }

func (e *encoder) units(units []uint16) {
	e.u32(uint32(len(units)))
	e.u32(0)
	e.u32(uint32(len(units)))
	for _, u := range units {
		e.U16(u)
	}
}

// counted is an RPC_UNICODE_STRING ([MS-DTYP] 2.3.10): a structure with two
// lengths in bytes and a pointer. head goes into the structure it is part of,
// tail behind it.
type counted []uint16

func newCounted(s string) counted { return utf16.Encode([]rune(s)) }

func (c counted) head(e *encoder) {
	e.Align(4)
	e.U16(uint16(2 * len(c)))
	e.U16(uint16(2 * len(c)))
	e.pointer(true)
}

func (c counted) tail(e *encoder) { e.units(c) }
