package bench

import (
	"fmt"
	"strings"
	"unicode"
)

// spelling gives files names as people and their programs do, of 25 letters.
// The same seed gives the same names.
type spelling struct{ seed uint64 }

// nameLength is the length of a name, in bytes.
const nameLength = 25

var (
	nameStems = []string{"IMG", "DSC", "Scan", "Invoice", "Report", "Letter", "Holiday", "Minutes", "Draft", "Track", "Screenshot", "Backup"}
	nameEnds  = []string{".jpg", ".JPG", ".pdf", ".txt", ".docx", ".png", ".mp3", ".xlsx", ".eml", ".CR2"}
)

// name is the name of file i. No two are the same, nor are they if case does
// not count: each has i in it, scattered over seven letters and digits.
func (s spelling) name(i int) string { return s.numbered(uint64(i)) }

func (s spelling) numbered(i uint64) string {
	h := scatter(s.seed ^ i*0x9e3779b97f4a7c15)
	stem := nameStems[h%uint64(len(nameStems))]
	end := nameEnds[h>>8%uint64(len(nameEnds))]
	date := fmt.Sprintf(" %04d-%02d-%02d", 1998+h>>16%28, 1+h>>32%12, 1+h>>48%28)
	room := nameLength - len(stem) - len("_") - nameCode - len(end)
	return stem + date[:room] + "_" + code(s.seed%codes+i) + end
}

// nameCode is how many letters and digits tell names apart.
const nameCode = 7

// codes is how many codes there are.
const codes = 36 * 36 * 36 * 36 * 36 * 36 * 36

// code writes a number, modulo codes, so that neighbours look nothing alike: it
// is multiplied by a number that has no divisor in common with codes.
func code(n uint64) string {
	n = n % codes * 48271 % codes
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	var b [nameCode]byte
	for i := range b {
		b[i] = digits[n%36]
		n /= 36
	}
	return string(b[:])
}

// missing is the name of a file that there is not: of one far beyond all others.
func (s spelling) missing(i int) string { return s.numbered(uint64(i) + 1<<35) }

// otherCase is a name with each letter in its other case.
func otherCase(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, name)
}

// scatter makes a number of another that tells nothing of it (SplitMix64).
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
