package wildcard

import (
	"errors"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/fold"
)

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no string // names, separated by spaces
	}{
		{"*", "a a.b . .. README", ""},
		{"", "a a.b . ..", ""},
		{"readme", "readme README ReadMe", "readme. readm readme1"},
		{"*.txt", "a.txt .txt a.b.TXT", "a.txt1 txt a.tx"},
		{"*.*", "a.b . .. a.", "a README"},
		{"a*b*c", "abc aXbYc abbcc", "ab acb abcd"},
		{"**", "a", ""},
		{"?", "a .", "ab"},
		{"a?c", "abc a.c", "ac abbc"},
		{"????", "abcd", "abc abcde"},
		{"Ä*", "äpfel Ä", "apfel"},
		{"*ß", "straß", "strass"}, // ß has no upper case of one unit
		{"𐐷", "𐐷", "x"},
		{"ǆ*", "Ǆa", "ǅa"},                                  // of which Windows makes no capital
		{"??", "𐐷 ab", "a"},                                 // two units
		{"\xed\xa0\x80*", "\xed\xa0\x80x", "\xed\xa0\x81x"}, // lone surrogates

		// What Windows sends for "dir *." and "dir a*.": names without an extension.
		{`<"`, "README a a.", "a.b"},
		{"<", "README a", "a.b"},
		{"<.", "a. a.b.", "a a.b"},
		// "dir *.t": < stops before the last period only.
		{"<.t", "a.t a.b.t", "a.tt a.t.b t"},
		{"<.b<", "a.bc a.b", "a.b.c"},
		{"a<c", "abc ac", "ab.c ab.xc"},
		// "dir ??.t": > takes one character, or none at a period or the end.
		{">>.t", "ab.t a.t .t", "abc.t"},
		{">>>", "abc ab a", "abcd a.b"},
		{"a>", "a ab", "abc"},
		// A " is a period, or nothing at the end.
		{`a"b`, "a.b", "ab aXb"},
		{`a"`, "a a.", "a.b ab"},
		{`<"b`, "a.b a.a.b", "b ab"},
		{`>>>>>>>>"jpg`, "x.jpg 12345678.JPG .jpg", "123456789.jpg x.jpeg"},
	} {
		for _, table := range []*fold.Table{fold.Decomposing(), fold.UpperCasing(), nil} {
			p, err := Compile(tt.pattern, table)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range strings.Fields(tt.yes) {
				if table != nil && !p.Match(name) {
					t.Errorf("%q does not match %q", tt.pattern, name)
				}
			}
			for _, name := range strings.Fields(tt.no) {
				if p.Match(name) {
					t.Errorf("%q matches %q", tt.pattern, name)
				}
			}
		}
	}
	p, _ := Compile("a*", nil)
	if p.Match("A") {
		t.Error("a* matches A, though case matters")
	}
}

// Where both forms of a letter are one name they match alike, and a wildcard
// stands for a letter with its marks.
func TestPatternOfMarkedLetters(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no string // names, separated by spaces
	}{
		{"\u00e9*", "\u00c9tude e\u0301tude \u00e9 E\u0301", "etude e"},
		{"e\u0301*", "\u00e9tude e\u0301tude", "etude"},
		{"e*", "etude e", "\u00e9tude e\u0301tude"}, // "del e*" must not take them
		{"*e", "cafe", "caf\u00e9 cafe\u0301"},
		{"*\u00e9", "caf\u00c9 cafe\u0301", "cafe"},
		{"?tude", "\u00e9tude e\u0301tude etude", "tude"},
		{"??tude", "e\u0301tude", "\u00e9tude"}, // the units that there are
		{"caf?", "caf\u00e9 cafe\u0301 cafe", "caf"},
		{"caf>>", "caf\u00e9 cafe\u0301 caf", ""},
		{"<\u00e9.txt", "cafe\u0301.txt a.e\u0301.txt", "cafe.txt"},
		{"*a\u0323\u0307", "xa\u0307\u0323", "xa\u0307"}, // marks in another order
		{"?\u0323*", "a\u0323b \u1ea1b", "a\u0307\u0323b ab"},
		{"\uac00*", "\u1100\u1161x \uac00", "\u1100x \uac01"},
		{"?", "\uac01 \u1100\u1161\u11a8 \u0301", ""},
		{"a.*", "a.\u0301b", "a\u0301"},
		{"*", "\u0301", ""},
	} {
		p, err := Compile(tt.pattern, fold.Decomposing())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(tt.yes) {
			if !p.Match(name) {
				t.Errorf("%+q does not match %+q", tt.pattern, name)
			}
		}
		for _, name := range strings.Fields(tt.no) {
			if p.Match(name) {
				t.Errorf("%+q matches %+q", tt.pattern, name)
			}
		}
	}
	p, _ := Compile("e*", fold.UpperCasing())
	if !p.Match("e\u0301tude") || p.Match("\u00e9tude") {
		t.Error("where the forms of a letter are two names, units are all that counts")
	}
}

func TestPatternRefusals(t *testing.T) {
	for _, text := range []string{`a\b`, "a/*", "a\x00", strings.Repeat("x*", maxPattern)} {
		if _, err := Compile(text, fold.Decomposing()); !errors.Is(err, ErrPattern) {
			t.Errorf("Compile(%.10q) = %v", text, err)
		}
	}
}

func TestPatternWithoutWildcardsIsLiteral(t *testing.T) {
	for text, want := range map[string]string{"a.B": "a.B", "a*": "", "a?": "", "<": "", ">": "", `"`: "", "*": ""} {
		if p, _ := Compile(text, fold.Decomposing()); p.literal != want {
			t.Errorf("literal of %q is %q", text, p.literal)
		}
	}
}

// A pattern of any size takes a step for each 64 of its units and each unit of a
// name, and no more memory than that of its units.
func TestPatternTakesBoundedTime(t *testing.T) {
	worst, err := Compile(strings.Repeat("*a", 100)+"*b", fold.Decomposing())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("a", 200)
	if blocks := len(worst.program.blocks); blocks != 4 || worst.Match(name) {
		t.Errorf("it takes %d steps for each unit", blocks)
	}
	if n := testing.AllocsPerRun(10, func() { worst.Match(name) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var many strings.Builder
	for i := range maxPattern {
		many.WriteRune(rune(0x4e00 + i*7%maxPattern))
	}
	if p, err := Compile(many.String(), nil); err != nil || len(p.program.units) != maxPattern || !p.Match(many.String()) {
		t.Errorf("a pattern of as many different units takes %d cells, %v", len(p.program.units), err)
	}
	p, err := Compile(strings.Repeat("*a", maxPattern/2), fold.Decomposing())
	if err != nil {
		t.Fatal(err)
	}
	if p.Match(strings.Repeat("a", 255)) {
		t.Error("512 letters are found in 255")
	}
	if p, _ := Compile("*a*a*a*a*a*a*a*a*a*a*b", fold.Decomposing()); p.Match(strings.Repeat("a", 255)) {
		t.Error("a b is found where there is none")
	}
	// To put marks in order takes the square of their number.
	for _, length := range []int{maxPattern + 1, 1 << 15} {
		if _, err := Compile("*"+strings.Repeat("\u0301", length/2)+strings.Repeat("\u0327", length/2), fold.Decomposing()); !errors.Is(err, ErrPattern) {
			t.Errorf("a pattern of %d units: %v", length, err)
		}
	}
}

// matchSlowly is the definition of [MS-FSA] 2.1.4.4, written down as such, with
// that of marks: what stands for a letter stands for its marks. wild says that a
// wildcard stands for the unit before.
func matchSlowly(pattern []uint32, name []fold.Unit, wild bool) bool {
	if wild && len(name) > 0 && name[0].Joins() && matchSlowly(pattern, name[1:], true) {
		return true
	}
	if len(pattern) == 0 {
		return len(name) == 0
	}
	rest := pattern[1:]
	dot := len(name) > 0 && name[0].Code() == '.'
	last := dot
	for i := 1; i < len(name); i++ {
		last = last && name[i].Code() != '.'
	}
	takes := len(name) > 0 && (!name[0].Joins() || wild && name[0].Begins())
	switch pattern[0] {
	case wildcard | anyString:
		return matchSlowly(rest, name, wild) || takes && matchSlowly(pattern, name[1:], true)
	case wildcard | dosStar:
		return matchSlowly(rest, name, wild) || takes && !last && matchSlowly(pattern, name[1:], true)
	case wildcard | anyChar:
		return takes && matchSlowly(rest, name[1:], true)
	case wildcard | dosQM:
		if len(name) == 0 || dot {
			return matchSlowly(rest, name, wild)
		}
		return takes && matchSlowly(rest, name[1:], true)
	case wildcard | dosDot:
		return len(name) == 0 && matchSlowly(rest, name, wild) || dot && matchSlowly(rest, name[1:], false)
	}
	return len(name) > 0 && uint32(name[0].Code()) == pattern[0] && matchSlowly(rest, name[1:], false)
}

func FuzzPattern(f *testing.F) {
	f.Add(`a<b"*>?`, "a.b.c")
	f.Add(`>>"x`, "ab.x")
	f.Add("*\u00e9?", "e\u0301\u0323x")
	f.Add("?\u0301*", "\uac01\u0301")
	f.Fuzz(func(t *testing.T, text, name string) {
		if len(text) > 12 || len(name) > 12 {
			return
		}
		for _, table := range []*fold.Table{fold.Decomposing(), fold.UpperCasing(), nil} {
			p, err := Compile(text, table)
			if err != nil {
				return
			}
			elements, _, _ := elementsOf(text, table)
			if p.all {
				elements = []uint32{wildcard | anyString}
			}
			if got, want := p.Match(name), matchSlowly(elements, table.AppendUnits(nil, name), false); got != want {
				t.Errorf("%+q against %+q is %v, want %v", text, name, got, want)
			}
		}
	})
}

func BenchmarkPattern(b *testing.B) {
	for name, bb := range map[string]struct{ pattern, name string }{
		"photo": {"*.jpg", "IMG_20240102_030405.JPG"},
		"worst": {strings.Repeat("*a", 100) + "*b", strings.Repeat("a", 200)},
		"long":  {strings.Repeat("*a", 512), strings.Repeat("a", 255)},
	} {
		p, err := Compile(bb.pattern, fold.Decomposing())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.Match(bb.name)
			}
		})
	}
}
