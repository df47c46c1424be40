package names

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/fold"
	"github.com/dozo-server/dozo/vfs"
)

// What a client can't send or show. On disk stands the plain character; to
// clients it is shown as one of Unicode's private range, as Macs and the Linux
// client send it, too. A name that has no spelling at all for some client gets
// an alias instead, computed from its bytes and therefore the same after a
// restart.

// hasPrivate reports whether name holds private characters.
func hasPrivate[T string | []byte](name T) bool {
	for i := 0; i+2 < len(name); i++ {
		if name[i] == 0xef && name[i+1]&^1 == 0x80 { // U+F000 to U+F07F
			if r, _ := fold.Decode(name[i:]); fold.IsPrivate(r) {
				return true
			}
		}
	}
	return false
}

// onDisk returns how the name a client sent is spelled on disk. One that is longer
// than any file system takes ends here: to put a row of marks in order takes time
// that grows with its square.
func onDisk(name string) (string, error) {
	plain := name
	if hasPrivate(name) {
		var b strings.Builder
		for i := 0; i < len(name); {
			r, size := fold.Decode(name[i:])
			if fold.IsPrivate(r) {
				b.WriteByte(fold.Plain(r))
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
	if len(plain) > maxIndexed {
		return "", vfs.NewError("look up", name, vfs.KindNameTooLong, nil)
	}
	return plain, nil
}

// Stored returns the name on disk of an entry that listings of the folder at dir
// show as shown.
func (t *Tree) Stored(ctx context.Context, dir *Place, shown string) (string, error) {
	if !hasPrivate(shown) && !mayBeGiven(shown) {
		return shown, nil
	}
	e, err := t.Lookup(ctx, nil, dir, shown, t.o.Sensitive)
	return e.Name, err
}

// Shown returns how clients see the stored name: itself, or with private
// characters, or its alias.
func Shown(stored string) string {
	if needsAlias(stored) {
		return alias(stored)
	}
	last := len(stored) - 1
	for i := range len(stored) {
		if fold.Private(stored[i], i == last) != 0 {
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
		if r := fold.Private(stored[i], i == len(stored)-1); r != 0 {
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
	return isDevice(stored) || !fold.IsText(stored)
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
		buf[n] = fold.ASCII[name[n]]
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
		r, size := fold.Decode(part[i:])
		unit := part[i : i+size]
		if r < 0 || r < utf8.RuneSelf && fold.Private(byte(r), i+size == len(part)) != 0 {
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
