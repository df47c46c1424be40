package fold

import "strings"

// Characters that not every client can send or show in a name are sent as
// others, of Unicode's private range. Macs, and Linux by default, take U+F001 to
// U+F01F for the control characters in their order, and U+F020 to U+F029 for
// those of marks. Services for Unix and what came after it, Linux with mapchars
// among them, take U+F000 and the code of the character, for those of others.
// Both are understood; the former is shown.
const (
	firstControl = 0xf001
	firstMark    = 0xf020
	lastMark     = 0xf029
	marks        = "\"*:<>?\\| ."
	others       = "*:<>?|"
	othersFrom   = 0xf000
)

// IsPrivate reports whether r stands for another character.
func IsPrivate(r rune) bool {
	return firstControl <= r && r <= lastMark ||
		lastMark < r && r < othersFrom+0x80 && strings.IndexByte(others, byte(r-othersFrom)) >= 0
}

// Plain returns the character that the private r stands for.
func Plain(r rune) byte {
	if firstMark <= r && r <= lastMark {
		return marks[r-firstMark]
	}
	return byte(r - othersFrom)
}

// Private returns the private character that is shown for the plain c, 0 if it
// needs none. Space and dot need one only at the end of a name.
func Private(c byte, atEnd bool) rune {
	if 0 < c && c < ' ' {
		return firstControl + rune(c) - 1
	}
	if i := strings.IndexByte(marks, c); i >= 0 && (atEnd || c != ' ' && c != '.') {
		return firstMark + rune(i)
	}
	return 0
}
