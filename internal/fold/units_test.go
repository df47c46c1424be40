package fold

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

// drawn writes units with a dot before those that begin none of the name and
// a plus before those that join the one before.
func drawn(units []Unit) string {
	var b strings.Builder
	for _, u := range units {
		if u.Joins() {
			b.WriteByte('+')
		}
		if !u.Begins() {
			b.WriteByte('.')
		}
		if c := u.Code(); c > ' ' && c < 0x7f {
			b.WriteByte(byte(c))
		} else {
			fmt.Fprintf(&b, "<%04x>", c)
		}
	}
	return b.String()
}

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ name, text, normal, windows, exact string }{
		{"ASCII", "a.B", "A.B", "A.B", "a.B"},
		{"composed", "\u00e9x", "E+.<0301>X", "<00c9>X", "<00e9>x"},
		{"decomposed", "e\u0301x", "E+<0301>X", "E<0301>X", "e<0301>x"},
		{"marks in another order", "a\u0307\u0323", "A+<0323>+<0307>", "A<0307><0323>", "a<0307><0323>"},
		{"a mark behind a composed letter", "\u00e9\u0323", "E+<0323>+.<0301>", "<00c9><0323>", "<00e9><0323>"},
		{"a mark of its own", "\u0301", "<0301>", "<0301>", "<0301>"},
		{"a mark behind a dot", "a.\u0301", "A.<0301>", "A.<0301>", "a.<0301>"},
		{"hangul", "\uac01", "<1100>+.<1161>+.<11a8>", "<ac01>", "<ac01>"},
		{"hangul in parts", "\u1100\u1161\u11a8", "<1100>+<1161>+<11a8>", "<1100><1161><11a8>", "<1100><1161><11a8>"},
		{"two units", "\U0001f600", "<d83d><de00>", "<d83d><de00>", "<d83d><de00>"},
		{"lone surrogate", "\xed\xa0\x80", "<d800>", "<d800>", "<d800>"},
		{"private", "a\uf022", "A<f022>", "A<f022>", "a<f022>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, way := range []struct {
				table *Table
				want  string
			}{{Decomposing(), tt.normal}, {UpperCasing(), tt.windows}, {nil, tt.exact}} {
				if got := drawn(way.table.AppendUnits(nil, tt.text)); got != way.want {
					t.Errorf("%+q: %s, want %s", tt.text, got, way.want)
				}
			}
		})
	}
}

// The units are those of the key, and as many begin one as the name has.
func TestUnitsAreTheKeys(t *testing.T) {
	pieces := []string{"a", "Z", ".", "e\u0301", "\u00c9", "\u0323", "\u0301", "\uac01", "\u1161", "漢", "\U0001f600", "\u1e9b\u0323", "\U0001d15e", "\U0001109a"}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b strings.Builder
		for range rng.IntN(10) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		name := b.String()
		for _, table := range []*Table{Decomposing(), UpperCasing()} {
			units := table.AppendUnits(nil, name)
			var codes []uint16
			begun := 0
			for i, u := range units {
				codes = append(codes, u.Code())
				if u.Begins() {
					begun++
				}
				if i == 0 && u.Joins() {
					t.Errorf("%+q joins nothing", name)
				}
			}
			if key := string(AppendKey(table, nil, name)); string(utf16.Decode(codes)) != key {
				t.Fatalf("%+q: units %+q, key %+q", name, string(utf16.Decode(codes)), key)
			}
			if had := len(utf16.Encode([]rune(name))); begun != had {
				t.Fatalf("%+q: %d units begin one of the name, which has %d: %s", name, begun, had, drawn(units))
			}
		}
	}
}
