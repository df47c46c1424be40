package fold

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func keyOf(t *Table, name string) string { return string(AppendKey(t, nil, name)) }

var (
	normalizing = Decomposing()
	windowsRule = UpperCasing()
)

func TestFoldTable(t *testing.T) {
	for _, tt := range []struct {
		name    string
		a, b    string
		same    bool // with normalization
		windows bool // without
	}{
		{"ascii", "ReadMe.TXT", "readme.txt", true, true},
		{"another name", "a", "b", false, false},
		{"punctuation between the cases", "[", "{", false, false},
		{"umlaut", "Äpfel", "äPFEL", true, true},
		{"composed and decomposed", "caf\u00e9", "cafe\u0301", true, false},
		{"the same across case", "CAF\u00c9", "cafe\u0301", true, false},
		{"marks in another order", "a\u0323\u0307", "a\u0307\u0323", true, false},
		{"mark moved before that of a composed letter", "\u00e9\u0327", "e\u0327\u0301", true, false},
		{"equal classes keep their order", "a\u0300\u0301", "a\u0301\u0300", false, false},
		{"a letter whose capital is not composed", "\u1e96", "H\u0331", true, false},
		{"singleton with a plain twin", "\u0387", "\u00b7", true, false},
		{"hangul", "\uac00\uac01", "\u1100\u1161\u1100\u1161\u11a8", true, false},
		{"greek", "ΑΒΓ", "αβγ", true, true},
		{"final sigma", "ς", "Σ", false, false},
		{"sharp s is not SS", "straße", "STRASSE", false, false},
		{"dotless i is not I", "\u0131", "I", false, false},
		{"nor is dotted capital I an i", "\u0130", "i", false, false},
		{"micro sign is not mu", "\u00b5", "\u03bc", false, false},
		{"long s", "\u017f", "s", false, false},
		{"titlecase digraph", "\u01c5", "\u01c4", false, false},
		{"digraph", "\u01c6", "\u01c4", true, true},
		{"kelvin is not K", "\u212a", "k", false, false},
		{"angstrom is not A with ring", "\u212b", "\u00c5", false, false},
		{"compatibility ideograph", "\uf900", "\u8c48", false, false},
		{"ligature is not two letters", "\ufb01", "fi", false, false},
		{"fullwidth", "ａ", "Ａ", true, true},
		{"roman numerals", "ⅷ", "Ⅷ", true, true},
		{"georgian, after Windows 8", "\u10d0", "\u1c90", false, false},
		{"deseret, beyond 16 bits", "\U00010428", "\U00010400", false, false},
		{"private colon", "a\uf022b", "a:b", true, true},
		{"private trailing dot", "a\uf029", "a.", true, true},
		{"private control character", "\uf001", "\x01", true, true},
		{"private asterisk of others", "\uf02a", "*", true, true},
		{"private bar of others", "\uf07c", "\uf027", true, true},
		{"private letter, which nobody sends", "\uf041", "A", false, false},
		{"private beyond the range", "\uf0ba", ":", false, false},
		{"lone surrogate", "\xed\xa0\x80", "\xed\xa0\x81", false, false},
		{"lone surrogate and replacement", "\xed\xa0\x80", "\ufffd", false, false},
		{"pair of surrogates and the character", "\xed\xa0\xbd\xed\xb8\x80", "\U0001f600", false, false},
		{"invalid bytes", "a\xff", "a\xfe", false, false},
		{"invalid byte and replacement", "a\xff", "a\ufffd", false, false},
		{"invalid byte, other case", "a\xff", "A\xff", true, true},
		{"cut character", "\xc3", "\xc3\xa9", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if same := keyOf(normalizing, tt.a) == keyOf(normalizing, tt.b); same != tt.same {
				t.Errorf("%+q and %+q: one name %v, want %v", tt.a, tt.b, same, tt.same)
			}
			if same := keyOf(windowsRule, tt.a) == keyOf(windowsRule, tt.b); same != tt.windows {
				t.Errorf("%+q and %+q without normalization: one name %v, want %v", tt.a, tt.b, same, tt.windows)
			}
		})
	}
}

// everyChar calls f with each character that a name may hold.
func everyChar(f func(r rune, s string)) {
	for r := rune(1); r <= utf8.MaxRune; r++ {
		if r != '/' && (r < 0xd800 || r > 0xdfff) {
			f(r, string(r))
		}
	}
}

func TestFoldIsIdempotent(t *testing.T) {
	for _, f := range []*Table{normalizing, windowsRule} {
		everyChar(func(r rune, s string) {
			key := keyOf(f, s)
			if again := keyOf(f, key); again != key {
				t.Errorf("%U: key %+q, key of the key %+q", r, key, again)
			}
		})
	}
}

// TestFoldIsClosedUnderCase checks each pair of Windows' table alone and with
// each mark behind it, composed or not as Unicode likes: whatever a client does
// to the case of a name, it finds the file.
func TestFoldIsClosedUnderCase(t *testing.T) {
	marks := []string{""}
	for r := rune(0x300); r < 0x370; r++ {
		marks = append(marks, string(r))
	}
	for lower, upper := range UpperCase() {
		for _, mark := range marks {
			a, b := string(lower)+mark, string(upper)+mark
			if keyOf(normalizing, a) != keyOf(normalizing, b) {
				t.Errorf("%+q and %+q: keys %+q and %+q", a, b, keyOf(normalizing, a), keyOf(normalizing, b))
			}
		}
		if keyOf(windowsRule, string(lower)) != keyOf(windowsRule, string(upper)) {
			t.Errorf("%U and %U differ without normalization", lower, upper)
		}
	}
}

// TestFoldOfRandomNames checks the same of whole names with bytes that are no
// text among them, and that strings and byte slices fold alike.
func TestFoldOfRandomNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "Z", "e\u0301", "\u00c9", "\u0323", "\u0301", "\uac01", "漢", "\U0001f600", "\xff", "\xc3", "\xed\xa0\x80", "\xed\xb0\x80", "\uf022", ".", "\u1e9b\u0323", "\U0001d15e"}
	for range 20000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		name := b.String()
		key := keyOf(normalizing, name)
		if again := keyOf(normalizing, key); again != key {
			t.Fatalf("%+q: key %+q, key of the key %+q", name, key, again)
		}
		if other := string(AppendKey(normalizing, nil, []byte(name))); other != key {
			t.Fatalf("%+q: key of the bytes is %+q, of the string %+q", name, other, key)
		}
		if got := string(AppendKey(normalizing, []byte("e"), name)); got != "e"+key {
			t.Fatalf("%+q: behind other bytes the key is %+q", name, got)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("a\u0301\xff\xed\xa0\xbd\xed\xb8\x80", "A")
	f.Fuzz(func(t *testing.T, a, b string) {
		ka, kb := keyOf(normalizing, a), keyOf(normalizing, b)
		if keyOf(normalizing, ka) != ka {
			t.Errorf("%+q is not idempotent", a)
		}
		if IsText(a) != IsText(ka) {
			t.Errorf("%+q: text %v, its key %v", a, IsText(a), IsText(ka))
		}
		if a == b && ka != kb {
			t.Error("not a function")
		}
	})
}

func TestFoldDoesNotAllocate(t *testing.T) {
	var buf [256]byte
	for _, name := range []string{"Quarterly report.docx", "Überprüfung der Größe.txt", "cafe\u0301.txt"} {
		if n := testing.AllocsPerRun(100, func() { AppendKey(normalizing, buf[:0], name) }); n > 0 {
			t.Errorf("%+q: %v allocations", name, n)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"ASCII", "Quarterly report.docx"},
		{"Latin", "Überprüfung der Größe.txt"},
		{"Decomposed", "U\u0308berpru\u0308fung der Gro\u0308ße.txt"},
		{"Japanese", "新しいフォルダー2.txt"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var buf [256]byte
			for b.Loop() {
				AppendKey(normalizing, buf[:0], bm.text)
			}
		})
	}
}

func BenchmarkFoldTables(b *testing.B) {
	for b.Loop() {
		UpperCase()
		for range lines(decomposeData) {
		}
	}
}
