package smbwire

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Strings are UTF-16LE on the wire and WTF-8 in Go: UTF-8 in which a surrogate
// without its other half, which clients may use in names, is kept as the three
// bytes that UTF-8 would use if it allowed them. A pair always becomes one
// character of four bytes, so every string of UTF-16 units has one form in Go
// and comes back unchanged.

// DecodeUTF16 returns the string of the UTF-16LE units in b. A last odd byte
// is ignored; where it matters, callers refuse it first.
func DecodeUTF16(b []byte) string {
	var space [256]byte // most names fit, and are then allocated once
	return string(AppendFromUTF16(space[:0], b))
}

// AppendFromUTF16 appends to dst the WTF-8 of the UTF-16LE units in b.
func AppendFromUTF16(dst, b []byte) []byte {
	for len(b) >= 2 {
		if b[1] == 0 && b[0] < utf8.RuneSelf {
			dst = append(dst, b[0])
			b = b[2:]
			continue
		}
		unit := rune(binary.LittleEndian.Uint16(b))
		b = b[2:]
		switch {
		case !utf16.IsSurrogate(unit):
			dst = utf8.AppendRune(dst, unit)
		case len(b) >= 2:
			if pair := utf16.DecodeRune(unit, rune(binary.LittleEndian.Uint16(b))); pair != utf8.RuneError {
				dst = utf8.AppendRune(dst, pair)
				b = b[2:]
				continue
			}
			fallthrough
		default:
			dst = append(dst, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0x3f, 0x80|byte(unit)&0x3f)
		}
	}
	return dst
}

// AppendUTF16 appends to dst the UTF-16LE of the WTF-8 string s. A byte that
// is part of no character becomes U+FFFD.
func AppendUTF16(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, c, 0)
			i++
			continue
		}
		unit, size := decodeWTF8(s[i:])
		i += size
		if unit >= 0x10000 {
			high, low := utf16.EncodeRune(unit)
			dst = append(dst, byte(high), byte(high>>8), byte(low), byte(low>>8))
			continue
		}
		dst = append(dst, byte(unit), byte(unit>>8))
	}
	return dst
}

// UTF16Size returns the length in bytes of what AppendUTF16 would append.
func UTF16Size(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			n += 2
			i++
			continue
		}
		unit, size := decodeWTF8(s[i:])
		i += size
		n += 2
		if unit >= 0x10000 {
			n += 2
		}
	}
	return n
}

// decodeWTF8 returns the first character of s, which is not empty, or a lone
// surrogate, and its length.
func decodeWTF8(s string) (rune, int) {
	c, size := utf8.DecodeRuneInString(s)
	if c == utf8.RuneError && size == 1 && len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return c, size
}

// WriteUTF16 appends s to w as UTF-16LE and allocates nothing that w has room
// for.
func WriteUTF16(w *cursor.Writer, s string) {
	// No string is longer in UTF-16 than twice its length in WTF-8.
	w.Bytes(AppendUTF16(w.Free(0, 2*len(s)), s))
}

// text reads a variable part that holds a string. Half a unit is refused.
func text(r *cursor.Reader, off, n uint32, fixed int) string {
	if n%2 != 0 {
		r.Failf("a string of %d bytes", n)
	}
	return DecodeUTF16(variable(r, off, n, fixed))
}
