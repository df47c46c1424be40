package fold

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var update = flag.Bool("update", false, "write the tables of decompositions and classes anew; names that were one may become two")

// exempt are the characters that keep their own identity although Unicode
// decomposes them: Kelvin is not K, and Japanese names would merge.
func exempt(r rune) bool {
	return 0x2000 <= r && r <= 0x2fff || 0xf900 <= r && r <= 0xfaff || 0x2f800 <= r && r <= 0x2faff
}

// TestTablesAreUnicodes compares the frozen tables with those of x/text. A
// later Unicode may only add.
func TestTablesAreUnicodes(t *testing.T) {
	decompose, class := unicodeTables()
	if *update {
		for name, data := range map[string]string{"decompose": decompose, "class": class} {
			if err := os.WriteFile("tables/"+name+".txt", []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, table := range []struct{ name, frozen, now string }{
		{"decompose.txt", decomposeData, decompose},
		{"class.txt", classData, class},
	} {
		now := map[string]bool{}
		for line := range lines(table.now) {
			now[line] = true
		}
		for line := range lines(table.frozen) {
			if table.name == "class.txt" {
				continue // ranges may grow: compared one by one below
			}
			if !now[line] {
				t.Errorf("%s: Unicode %s has no %q", table.name, norm.Version, line)
			}
		}
	}
	for line := range lines(classData) {
		var first, last rune
		var class uint8
		scan(line, "%X-%X %d", &first, &last, &class)
		for r := first; r <= last; r++ {
			if got := norm.NFD.PropertiesString(string(r)).CCC(); got != class {
				t.Errorf("class of %U is %d, frozen as %d", r, got, class)
			}
		}
	}
}

// unicodeTables returns the two tables made from x/text.
func unicodeTables() (decompose, class string) {
	var d, c strings.Builder
	fmt.Fprintf(&d, `# Full canonical decompositions of Unicode %s, without Hangul syllables (they
# are computed) and without U+2000-2FFF, U+F900-FAFF and U+2F800-2FAFF, which
# keep their identity. A character, then what it is made of.
# Written by "go test -run Tables -update", then frozen.
`, norm.Version)
	fmt.Fprintf(&c, `# Canonical combining classes of Unicode %s: first-last, class.
# Written by "go test -run Tables -update", then frozen.
`, norm.Version)
	var first rune
	var before uint8
	for r := rune(0); r <= unicode.MaxRune+1; r++ {
		var ccc uint8
		if r <= unicode.MaxRune && (r < 0xd800 || r > 0xdfff) {
			ccc = norm.NFD.PropertiesString(string(r)).CCC()
			parts := norm.NFD.String(string(r))
			if parts != string(r) && !exempt(r) && !isHangul(r) {
				fmt.Fprintf(&d, "%04X", r)
				for _, p := range parts {
					fmt.Fprintf(&d, " %04X", p)
				}
				d.WriteByte('\n')
				ccc = 0 // decomposed before its class is asked for
			}
		}
		if ccc != before {
			if before != 0 {
				fmt.Fprintf(&c, "%04X-%04X %d\n", first, r-1, before)
			}
			first, before = r, ccc
		}
	}
	return d.String(), c.String()
}

// TestUpcaseIsWindows holds the upper-case table against the rule by which
// Microsoft's can be described: the simple mappings of Unicode 5.1 whose lower
// case leads back.
func TestUpcaseIsWindows(t *testing.T) {
	upper := UpperCase()
	if len(upper) != 973 {
		t.Errorf("%d rows, want 973", len(upper))
	}
	for r, u := range upper {
		if unicode.ToUpper(r) != u || unicode.ToLower(u) != r {
			t.Errorf("%U -> %U, Unicode has %U", r, u, unicode.ToUpper(r))
		}
	}
	// What Unicode upper-cases and Windows does not.
	for _, r := range "\u00b5\u00df\u0131\u017f\u01c5\u0345\u03c2\u03d0\u1e9b\u1fbe" + "\u023f\u10d0\uab70" {
		if u, ok := upper[r]; ok {
			t.Errorf("%U -> %U, Windows leaves it alone", r, u)
		}
	}
}
