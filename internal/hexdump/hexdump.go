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
	b, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Must is Bytes for the variables of a package: it panics.
func Must(text string) []byte {
	b, err := parse(text)
	if err != nil {
		panic(err)
	}
	return b
}

func parse(text string) ([]byte, error) {
	var digits strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	return hex.DecodeString(digits.String())
}
