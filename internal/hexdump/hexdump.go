// Package hexdump reads the bytes that tests write down as commented hex.
package hexdump

import (
	"encoding/hex"
	"strings"
	"testing"
)

// Bytes returns the bytes of text: pairs of hexadecimal digits, with blanks
// wherever they help to read, and comments from "#" to the end of a line. What
// is none of these fails the test.
func Bytes(t testing.TB, text string) []byte {
	t.Helper()
	var digits strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatal(err)
	}
	return b
}
