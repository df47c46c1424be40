package afpwire

import (
	"math"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/dozo-server/dozo/internal/cursor"
)

// readPascal reads a string whose length is in the byte before it.
func readPascal(r *cursor.Reader) string { return string(r.Bytes(int(r.U8()))) }

// writePascal writes what readPascal reads, at most 255 bytes.
func writePascal(w *cursor.Writer, s string) {
	s = s[:min(len(s), math.MaxUint8)]
	w.U8(uint8(len(s)))
	w.Bytes([]byte(s))
}

// readUTF8 reads a string whose length is in the two bytes before it: an
// AFPName without its hint.
func readUTF8(r *cursor.Reader) string { return string(r.Bytes(int(r.BE16()))) }

// writeUTF8 writes what readUTF8 reads, at most 65,535 bytes.
func writeUTF8(w *cursor.Writer, s string) {
	s = s[:min(len(s), math.MaxUint16)]
	w.BE16(uint16(len(s)))
	w.Bytes([]byte(s))
}

// readPascals reads a list of strings whose number is in the byte before it.
func readPascals(r *cursor.Reader, list []string) []string {
	list = list[:0]
	for range r.U8() {
		s := readPascal(r)
		if r.Err() != nil {
			break
		}
		list = append(list, s)
	}
	return list
}

// writePascals writes what readPascals reads, at most 255 strings.
func writePascals(w *cursor.Writer, list []string) {
	list = list[:min(len(list), math.MaxUint8)]
	w.U8(uint8(len(list)))
	for _, s := range list {
		writePascal(w, s)
	}
}

// FromMacRoman returns text of MacRoman bytes as UTF-8, composed.
func FromMacRoman(roman string) string {
	var b strings.Builder
	b.Grow(len(roman))
	for i := range len(roman) {
		b.WriteRune(charmap.Macintosh.DecodeByte(roman[i]))
	}
	return b.String()
}

// ToMacRoman returns composed UTF-8 text as MacRoman bytes. Characters that
// MacRoman lacks become "?", and ok is false.
func ToMacRoman(text string) (roman string, ok bool) {
	ok = true
	b := make([]byte, 0, len(text))
	for _, c := range text {
		one, has := charmap.Macintosh.EncodeRune(c)
		if !has {
			one, ok = '?', false
		}
		b = append(b, one)
	}
	return string(b), ok
}
