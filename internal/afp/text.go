package afp

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// Macs send and expect text of UTF-8 decomposed, and MacRoman where that is all
// they know. Within the server it is composed.

// compose returns the text of a client that sends UTF-8.
func compose(wire string) string { return norm.NFC.String(wire) }

// decompose returns text for such a client.
func decompose(text string) string { return norm.NFD.String(text) }

// typed returns what was typed at a client that may send it as UTF-8 or as
// MacRoman: passwords, which no rule says anything about.
func typed(wire string) string {
	if utf8.ValidString(wire) {
		return compose(wire)
	}
	return afpwire.FromMacRoman(wire)
}

// roman returns text in MacRoman, cut to at most so many bytes.
func roman(text string, most int) string {
	s, _ := afpwire.ToMacRoman(text)
	return s[:min(len(s), most)]
}
