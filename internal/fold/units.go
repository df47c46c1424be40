package fold

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Unit is a UTF-16 unit of a name's key, for those who compare parts of names:
//
//	31     26   25     24    23     16 15       0
//	+--------+-------+------+---------+----------+
//	|   0    | joins |begins|  class  |   code   |
//	+--------+-------+------+---------+----------+
type Unit uint32

const (
	classShift      = 16
	begins     Unit = 1 << 24
	joins      Unit = 1 << 25
)

// Code returns the unit itself.
func (u Unit) Code() uint16 { return uint16(u) }

// Begins reports whether the name itself has a unit here. The key of "é" has
// two units, of which only the first begins one.
func (u Unit) Begins() bool { return u&begins != 0 }

// Joins reports whether the unit belongs to the character before it: it is a
// combining mark, or part of what one character decomposes to.
func (u Unit) Joins() bool { return u&joins != 0 }

func (u Unit) class() uint8 { return uint8(u >> classShift) }

// AppendUnits appends the units of name's key to dst. With a nil Table these
// are those of the name. Other than in AppendKey private characters stay what
// they are, so that none becomes a wildcard.
func (t *Table) AppendUnits(dst []Unit, name string) []Unit {
	from := len(dst)
	for i := 0; i < len(name); {
		c := name[i]
		if c < utf8.RuneSelf {
			if t != nil {
				c = ASCII[c]
			}
			dst = append(dst, begins|Unit(c))
			i++
			continue
		}
		r, size := Decode(name[i:])
		if r < 0 {
			r = rune(c) // such names have an alias
		}
		i += size
		dst = t.appendChar(dst, from, r)
	}
	return dst
}

// appendChar appends what r folds to, each mark in its order among those that
// are there. The key began at dst[from].
func (t *Table) appendChar(dst []Unit, from int, r rune) []Unit {
	var f *form
	if t != nil {
		f = t.form(r)
	}
	whole, own := unitsOf(r) // own: how many the name itself has
	if f == nil {
		return appendPart(dst, from, whole[:own], &own, 0, isTrailingJamo(r) && t != nil && t.hangul)
	}
	for i, part := range f.text {
		class := uint8(0)
		if i >= len(f.text)-int(f.marks) {
			class = t.class(part)
		}
		units, n := unitsOf(part)
		dst = appendPart(dst, from, units[:n], &own, class, i > 0 || class > 0 || isTrailingJamo(part) && t.hangul)
	}
	return dst
}

// appendPart appends the units of one character of a key, of which own are
// still to begin units of the name. joining tells whether it belongs to the
// one before, if there is one; a dot takes nothing.
func appendPart(dst []Unit, from int, units []Unit, own *int, class uint8, joining bool) []Unit {
	at := len(dst)
	for class > 0 && at > from && dst[at-1].class() > class {
		at--
	}
	joining = joining && at > from && dst[at-1].Code() != '.'
	for i := range units {
		units[i] |= Unit(class) << classShift
		if *own > 0 {
			units[i] |= begins
			*own--
		}
		if joining {
			units[i] |= joins
		}
	}
	return slices.Insert(dst, at, units...)
}

// unitsOf returns the one or two units of r.
func unitsOf(r rune) (units [2]Unit, n int) {
	if r <= 0xffff {
		return [2]Unit{Unit(r)}, 1
	}
	high, low := utf16.EncodeRune(r)
	return [2]Unit{Unit(high), Unit(low)}, 2
}

// isTrailingJamo reports whether r is a vowel or a last consonant of a Hangul
// syllable.
func isTrailingJamo(r rune) bool { return 0x1160 <= r && r <= 0x11ff }
