package smb

import (
	"errors"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
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
		for _, fold := range []bool{true, false} {
			p, err := compile(tt.pattern, fold)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range strings.Fields(tt.yes) {
				if fold && !p.match(name) {
					t.Errorf("%q does not match %q", tt.pattern, name)
				}
			}
			for _, name := range strings.Fields(tt.no) {
				if p.match(name) {
					t.Errorf("%q matches %q", tt.pattern, name)
				}
			}
		}
	}
	p, _ := compile("a*", false)
	if p.match("A") {
		t.Error("a* matches A, though case matters")
	}
}

func TestPatternRefusals(t *testing.T) {
	for _, text := range []string{`a\b`, "a/*", "a\x00", strings.Repeat("x*", maxPattern)} {
		if _, err := compile(text, true); !errors.Is(err, smbwire.StatusObjectNameInvalid) {
			t.Errorf("compile(%.10q) = %v", text, err)
		}
	}
}

func TestPatternWithoutWildcardsIsLiteral(t *testing.T) {
	for text, want := range map[string]string{"a.B": "a.B", "a*": "", "a?": "", "<": "", ">": "", `"`: "", "*": ""} {
		if p, _ := compile(text, true); p.literal != want {
			t.Errorf("literal of %q is %q", text, p.literal)
		}
	}
}

// A pattern of any size takes at most its length times that of the name.
func TestPatternTakesBoundedTime(t *testing.T) {
	p, err := compile(strings.Repeat("*a", maxPattern/2), true)
	if err != nil {
		t.Fatal(err)
	}
	if p.match(strings.Repeat("a", 255)) {
		t.Error("512 letters are found in 255")
	}
}

// matchSlowly is the definition of [MS-FSA] 2.1.4.4, written down as such.
func matchSlowly(pattern, name []uint16) bool {
	if len(pattern) == 0 {
		return len(name) == 0
	}
	rest := pattern[1:]
	dot := len(name) > 0 && name[0] == '.'
	last := dot
	for i := 1; i < len(name); i++ {
		last = last && name[i] != '.'
	}
	switch pattern[0] {
	case anyString:
		return matchSlowly(rest, name) || len(name) > 0 && matchSlowly(pattern, name[1:])
	case dosStar:
		return matchSlowly(rest, name) || len(name) > 0 && !last && matchSlowly(pattern, name[1:])
	case anyChar:
		return len(name) > 0 && matchSlowly(rest, name[1:])
	case dosQM:
		if len(name) == 0 || dot {
			return matchSlowly(rest, name)
		}
		return matchSlowly(rest, name[1:])
	case dosDot:
		return len(name) == 0 && matchSlowly(rest, name) || dot && matchSlowly(rest, name[1:])
	}
	return len(name) > 0 && name[0] == pattern[0] && matchSlowly(rest, name[1:])
}

func FuzzPattern(f *testing.F) {
	f.Add(`a<b"*>?`, "a.b.c")
	f.Add(`>>"x`, "ab.x")
	f.Fuzz(func(t *testing.T, text, name string) {
		if len(text) > 12 || len(name) > 12 {
			return
		}
		p, err := compile(text, true)
		if err != nil {
			return
		}
		units := p.units
		if p.all {
			units = []uint16{anyString}
		}
		if got, want := p.match(name), matchSlowly(units, p.appendUnits(nil, name)); got != want {
			t.Errorf("%q against %q is %v, want %v", text, name, got, want)
		}
	})
}

func BenchmarkPattern(b *testing.B) {
	p, _ := compile("*.jpg", true)
	for b.Loop() {
		p.match("IMG_20240102_030405.JPG")
	}
}
