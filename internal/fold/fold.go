// Package fold decides which spellings are one name: those with equal keys.
//
// The key of a name is made unit by unit: the private characters by which Macs
// and others send what Windows forbids become the plain ones; what has a
// canonical decomposition is decomposed, marks in canonical order; and each
// UTF-16 unit is upper-cased by Windows' table, one to one. Composed and
// decomposed spellings are therefore one name, and so are upper and lower case
// in any mixture of both; compose-then-upper would not be closed like that.
//
// Keys are WTF-8: lone surrogates stay what they are, and so does each byte
// that is no UTF-8, which keeps such names apart. Keys are never shown and
// never stored, but two names that were one must stay one, so the tables are
// frozen. docs/decisions/folding.md has the reasons.
package fold

import (
	"slices"
	"unicode/utf8"
)

// ASCII is the folding of a unit below 0x80; it is the same in all Tables.
var ASCII = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if 'a' <= c && c <= 'z' {
			t[c] -= 'a' - 'A'
		}
	}
	return t
}()

// AppendKey appends the key of name to dst. It allocates only if dst has no
// room.
func AppendKey[T string | []byte](t *Table, dst []byte, name T) []byte {
	from := len(dst)
	dst = slices.Grow(dst, len(name))[:from+len(name)]
	for i := range len(name) {
		c := name[i]
		if c >= utf8.RuneSelf {
			return appendKeySlow(t, dst[:from+i], from, name[i:])
		}
		dst[from+i] = ASCII[c]
	}
	return dst
}

// appendKeySlow goes on where AppendKey met what is not ASCII. The key began
// at dst[from].
func appendKeySlow[T string | []byte](t *Table, dst []byte, from int, name T) []byte {
	for i := 0; i < len(name); {
		c := name[i]
		if c < utf8.RuneSelf {
			dst = append(dst, ASCII[c])
			i++
			continue
		}
		r, size := Decode(name[i:])
		switch {
		case r < 0:
			dst = append(dst, c)
		case IsPrivate(r):
			dst = append(dst, Plain(r))
		default:
			if f := t.form(r); f == nil {
				dst = appendUnit(dst, name[i:i+size])
			} else {
				dst = t.appendForm(dst, from, f)
			}
		}
		i += size
	}
	return dst
}

func appendUnit[T string | []byte](dst []byte, unit T) []byte { return append(dst, unit...) }

// appendForm appends what a character folds to. Its marks are put among those
// already there in the order of their classes, equal classes in the order they
// came.
func (t *Table) appendForm(dst []byte, from int, f *form) []byte {
	if f.marks == 0 {
		return append(dst, f.text...)
	}
	base := len(f.text) - int(f.marks)
	dst = append(dst, f.text[:base]...)
	for rest := f.text[base:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		class := t.class(r)
		at := len(dst)
		for at > from {
			before, width := utf8.DecodeLastRune(dst[from:at])
			if t.class(before) <= class {
				break
			}
			at -= width
		}
		dst = slices.Insert(dst, at, []byte(rest[:size])...)
		rest = rest[size:]
	}
	return dst
}

// Decode returns the first character of name, which is not empty, and its
// length in bytes. Lone surrogates are characters (WTF-8), a pair of them is
// not: that would be another spelling of one character. What is none is -1,
// one byte long.
func Decode[T string | []byte](name T) (rune, int) {
	if r, size := decodeSurrogate(name); size > 0 {
		return r, size
	}
	var buf [utf8.UTFMax]byte
	r, size := utf8.DecodeRune(buf[:copy(buf[:], name)])
	if r == utf8.RuneError && size < 2 {
		return -1, 1
	}
	return r, size
}

// decodeSurrogate decodes a lone surrogate; size is 0 if there is none.
func decodeSurrogate[T string | []byte](name T) (r rune, size int) {
	if !startsSurrogate(name) {
		return 0, 0
	}
	high := name[1] < 0xb0
	if high && len(name) >= 6 && startsSurrogate(name[3:]) && name[4] >= 0xb0 {
		return 0, 0
	}
	return 0xd000 | rune(name[1]&0x3f)<<6 | rune(name[2]&0x3f), 3
}

func startsSurrogate[T string | []byte](name T) bool {
	return len(name) >= 3 && name[0] == 0xed && name[1] >= 0xa0 && name[1] < 0xc0 && name[2]&0xc0 == 0x80
}

// IsText reports whether name is WTF-8, all of it characters.
func IsText[T string | []byte](name T) bool {
	for i := 0; i < len(name); {
		if name[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := Decode(name[i:])
		if r < 0 {
			return false
		}
		i += size
	}
	return true
}
