package names

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/dozo-server/dozo/internal/fold"
)

// A name of 8.3 form is what programs of DOS and early Windows can spell
// ([MS-FSCC] 2.1.5.2.1). On a share that gives such names, one that has not
// this form itself is found by another that has:
//
//	the long summer.jpeg is found as  T 8SIAD ~ B . JPE
//	                                  |   |     |    |
//	its first letter that DOS knows, or "_"     |    |
//	31 bits of its hash, in base 36 ------+-----+    |
//	what DOS knows of its extension -----------------+
//
// It follows from the name on disk alone, so it is the same after a restart,
// and giving it takes no look at the other names of the folder. Two names may
// therefore come to the same one, 1 in 2 thousand million pairs: that leads to
// the first of them in the order of bytes.

const (
	shortStem   = 8 // units before the dot
	shortExt    = 3 // and behind it
	shortDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// ShortName returns the 8.3 name by which the stored name is found, too; "" if
// the share gives none, or the name is one by itself.
func (t *Tree) ShortName(stored string) string { return shortOf(t.fold, stored) }

// shortOf is ShortName by a folding.
func shortOf[T string | []byte](f folding, stored T) string {
	if !f.shorts || len(stored) == 0 || isShort(stored) && !needsAlias(stored) {
		return ""
	}
	return short(string(stored))
}

// short makes an 8.3 name of a name.
func short(stored string) string {
	stem, ext := stored, ""
	if i := strings.LastIndexByte(stored, '.'); i > 0 {
		stem, ext = stored[:i], stored[i+1:]
	}
	sum := sha256.Sum256([]byte(stored))
	hash := binary.BigEndian.Uint64(sum[:])

	var buf [shortStem + 1 + shortExt]byte
	name := appendShort(buf[:0], stem, 1)
	if len(name) == 0 {
		name = append(name, '_')
	}
	for len(name) < shortStem {
		if len(name) == shortStem-2 {
			name = append(name, '~')
		}
		name = append(name, shortDigits[hash%36])
		hash /= 36
	}
	if dotted := appendShort(append(name, '.'), ext, shortExt); len(dotted) > len(name)+1 {
		name = dotted
	}
	return string(name)
}

// appendShort appends the first characters of part that DOS knows, at most
// limit, in capitals.
func appendShort(dst []byte, part string, limit int) []byte {
	for i := 0; i < len(part) && limit > 0; i++ {
		if c := fold.ASCII[part[i]]; isShortChar(c) {
			dst = append(dst, c)
			limit--
		}
	}
	return dst
}

// isShort reports whether name has the form of 8.3 names, in any case.
func isShort[T string | []byte](name T) bool {
	stem := 0
	for stem < len(name) && name[stem] != '.' {
		stem++
	}
	ext := len(name) - stem - 1 // -1 without a dot
	if stem < 1 || stem > shortStem || ext == 0 || ext > shortExt {
		return false
	}
	for i := range len(name) {
		if i != stem && !isShortChar(fold.ASCII[name[i]]) {
			return false
		}
	}
	return true
}

func isShortChar(c byte) bool {
	return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'()-@^_`{}~", c) >= 0
}
