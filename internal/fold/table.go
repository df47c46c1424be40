package fold

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// The frozen data; each file says what it is and where it is from.
var (
	//go:embed tables/upcase.txt
	upcaseData string
	//go:embed tables/decompose.txt
	decomposeData string
	//go:embed tables/class.txt
	classData string
)

// form is what a character folds to when that is not itself alone.
type form struct {
	text  string
	marks uint8 // bytes at the end of text that are combining marks
	class uint8 // canonical combining class of a mark
}

// Table is a way to fold. It holds the forms of all characters, in pages of 256 to which most
// of Unicode adds nothing. It does not change once it is made.
type Table struct {
	pages [256]*[256]uint16 // of the first plane; 0 is no form, i is forms[i]
	forms []form
	rest  map[rune]uint16 // of the other planes

	hangul bool // decompose syllables
}

// form returns what r folds to, nil for itself.
func (t *Table) form(r rune) *form {
	i := uint16(0)
	if r < 0x10000 {
		if p := t.pages[r>>8]; p != nil {
			i = p[r&0xff]
		}
		if i == 0 && t.hangul && isHangul(r) {
			return hangulForm(r)
		}
	} else {
		i = t.rest[r]
	}
	if i == 0 {
		return nil
	}
	return &t.forms[i]
}

// class returns the canonical combining class of r, 0 for what is no mark.
func (t *Table) class(r rune) uint8 {
	if r < 0x300 || isHangul(r) {
		return 0 // the first mark is U+0300
	}
	if f := t.form(r); f != nil {
		return f.class
	}
	return 0
}

func (t *Table) set(r rune, f form) {
	t.forms = append(t.forms, f)
	i := uint16(len(t.forms) - 1)
	if r >= 0x10000 {
		t.rest[r] = i
		return
	}
	p := t.pages[r>>8]
	if p == nil {
		p = new([256]uint16)
		t.pages[r>>8] = p
	}
	p[r&0xff] = i
}

// UpperCasing is the Table under which composed and decomposed spellings are two
// names, as Windows has it.
var UpperCasing = sync.OnceValue(func() *Table {
	t := &Table{forms: make([]form, 1, 1024), rest: map[rune]uint16{}}
	for r, upper := range UpperCase() {
		t.set(r, form{text: string(upper)})
	}
	return t
})

// Decomposing is the ordinary Table.
var Decomposing = sync.OnceValue(func() *Table {
	t := &Table{forms: make([]form, 1, 4096), rest: map[rune]uint16{}, hangul: true}
	upper := UpperCase()
	for r, u := range upper {
		t.set(r, form{text: string(u)})
	}
	classes := map[rune]uint8{}
	for line := range lines(classData) {
		var first, last rune
		var class uint8
		scan(line, "%X-%X %d", &first, &last, &class)
		for r := first; r <= last; r++ {
			classes[r] = class
			t.set(r, form{text: string(r), marks: uint8(utf8.RuneLen(r)), class: class})
		}
	}
	for line := range lines(decomposeData) {
		var r rune
		f := form{}
		for i, field := range strings.Fields(line) {
			var c rune
			scan(field, "%X", &c)
			if i == 0 {
				r = c
				continue
			}
			if u, ok := upper[c]; ok {
				c = u
			}
			f.text += string(c)
			if classes[c] > 0 {
				f.marks += uint8(utf8.RuneLen(c))
			}
			if i == 1 {
				f.class = classes[c]
			}
		}
		t.set(r, f)
	}
	return t
})

// UpperCase returns Windows' upper-case table, without what it leaves alone. It
// is read anew.
func UpperCase() map[rune]rune {
	upper := map[rune]rune{}
	for line := range lines(upcaseData) {
		var first, last, step, add rune
		scan(line, "%X-%X %d %d", &first, &last, &step, &add)
		for r := first; r <= last; r += step {
			upper[r] = r + add
		}
	}
	return upper
}

// lines yields the lines of a table without its comments.
func lines(data string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(data) {
			line = strings.TrimSuffix(line, "\n")
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// scan reads a line of a table, which is part of the program.
func scan(line, format string, fields ...any) {
	if _, err := fmt.Sscanf(line, format, fields...); err != nil {
		panic("fold: damaged table: " + line)
	}
}

// Hangul syllables decompose by arithmetic (Unicode, section 3.12).
const (
	hangulFirst = 0xac00
	hangulLast  = 0xd7a3
	hangulT     = 28
	hangulVT    = 21 * hangulT
)

func isHangul(r rune) bool { return hangulFirst <= r && r <= hangulLast }

func hangulForm(r rune) *form {
	s := r - hangulFirst
	jamo := []rune{0x1100 + s/hangulVT, 0x1161 + s%hangulVT/hangulT}
	if t := s % hangulT; t > 0 {
		jamo = append(jamo, 0x11a7+t)
	}
	return &form{text: string(jamo)}
}
