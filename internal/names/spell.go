package names

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode/utf8"

	"github.com/dozo-server/dozo/vfs"
)

// What a client can't send or show. On disk stands the plain character; to
// clients it is shown as one of the private range U+F001 to U+F029, in which
// Macs and the Linux client send it, too. A name that has no spelling at all
// for some client gets an alias instead, computed from its bytes and therefore
// the same after a restart.

// privateFrom are the characters that stand for something else: control
// characters in their order, then these.
const (
	privateFirst = 0xf001
	privateLast  = 0xf029
	privateMarks = "\"*:<>?\\| ." // U+F020 and on
)

func isPrivate(r rune) bool { return privateFirst <= r && r <= privateLast }

// plainOf returns the character that the private r stands for.
func plainOf(r rune) byte {
	if r < 0xf020 {
		return byte(r - 0xf000)
	}
	return privateMarks[r-0xf020]
}

// privateOf returns the private character for the plain c, 0 if it needs none.
// Space and dot need one only at the end of a name.
func privateOf(c byte, atEnd bool) rune {
	if 0 < c && c < ' ' {
		return 0xf000 + rune(c)
	}
	if i := strings.IndexByte(privateMarks, c); i >= 0 && (atEnd || c != ' ' && c != '.') {
		return 0xf020 + rune(i)
	}
	return 0
}

// hasPrivate reports whether name holds private characters.
func hasPrivate[T string | []byte](name T) bool {
	for i := 0; i+2 < len(name); i++ {
		if name[i] == 0xef && name[i+1] == 0x80 {
			if r, _ := decode(name[i:]); isPrivate(r) {
				return true
			}
		}
	}
	return false
}

// onDisk returns how the name a client sent is spelled on disk.
func onDisk(name string) (string, error) {
	plain := name
	if hasPrivate(name) {
		var b strings.Builder
		for i := 0; i < len(name); {
			r, size := decode(name[i:])
			if isPrivate(r) {
				b.WriteByte(plainOf(r))
			} else {
				b.WriteString(name[i : i+size])
			}
			i += size
		}
		plain = b.String()
	}
	if plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, "/\x00") {
		return "", vfs.NewError("look up", name, vfs.KindInvalidName, nil)
	}
	return plain, nil
}

// Shown returns how clients see the stored name: itself, or with private
// characters, or its alias.
func Shown(stored string) string {
	if needsAlias(stored) {
		return alias(stored)
	}
	last := len(stored) - 1
	for i := range len(stored) {
		if privateOf(stored[i], i == last) != 0 {
			return withPrivate(stored)
		}
	}
	return stored
}

// ShownPath is Shown for each component of a path.
func ShownPath(stored string) string {
	plain := true
	for part := range strings.SplitSeq(stored, "/") {
		plain = plain && Shown(part) == part
	}
	if plain {
		return stored
	}
	parts := strings.Split(stored, "/")
	for i, part := range parts {
		parts[i] = Shown(part)
	}
	return strings.Join(parts, "/")
}

func withPrivate(stored string) string {
	var b strings.Builder
	for i := range len(stored) {
		if r := privateOf(stored[i], i == len(stored)-1); r != 0 {
			b.WriteRune(r)
		} else {
			b.WriteByte(stored[i])
		}
	}
	return b.String()
}

// needsAlias reports whether the stored name can't be spelled by some client:
// it is no text, or Windows takes it for a device.
func needsAlias[T string | []byte](stored T) bool {
	return isDevice(stored) || !isText(stored)
}

// isText reports whether name is WTF-8 without NUL.
func isText[T string | []byte](name T) bool {
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := decode(name[i:])
		if r < 0 {
			return false
		}
		i += size
	}
	return true
}

// isDevice reports whether Windows takes name for one of its devices, as it
// does with any extension.
func isDevice[T string | []byte](name T) bool {
	var buf [8]byte
	n := 0
	for n < len(name) && name[n] != '.' {
		if n == len(buf) {
			return false
		}
		buf[n] = foldASCII[name[n]]
		n++
	}
	for n > 0 && buf[n-1] == ' ' {
		n--
	}
	switch string(buf[:n]) {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if n < 4 || string(buf[:3]) != "COM" && string(buf[:3]) != "LPT" {
		return false
	}
	switch string(buf[3:n]) {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}

// aliasStem and aliasExt bound the parts of a name that are kept in its alias.
const (
	aliasStem = 24
	aliasExt  = 12
)

// alias returns the name by which clients know the stored name if they can't
// spell it: what can be kept of it, "~", and 40 bits of its hash.
func alias(stored string) string {
	stem, ext := stored, ""
	if i := strings.LastIndexByte(stored, '.'); i > 0 && len(stored)-i <= aliasExt {
		stem, ext = stored[:i], stored[i:]
	}
	sum := sha256.Sum256([]byte(stored))
	return spellable(stem, aliasStem) + "~" + base32.StdEncoding.EncodeToString(sum[:5]) + spellable(ext, aliasExt)
}

// spellable returns the first characters of part, in at most limit bytes, with
// "_" for those that not every client can spell.
func spellable(part string, limit int) string {
	var b strings.Builder
	for i := 0; i < len(part); {
		r, size := decode(part[i:])
		unit := part[i : i+size]
		if r < 0 || r < utf8.RuneSelf && privateOf(byte(r), i+size == len(part)) != 0 {
			unit = "_"
		}
		if b.Len()+len(unit) > limit {
			break
		}
		b.WriteString(unit)
		i += size
	}
	return b.String()
}
