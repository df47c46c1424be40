package afp

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/fold"
)

// What Macs show as "/" is ":" in the tree of files. Macs have no ":" in names:
// those that send one mean the same. What SMB clients can't spell stands in
// listings as characters of their private range, and is plain to Macs.

// maxLongName is the most bytes in a name of MacRoman.
const maxLongName = 31

// wireName is a name of the tree in the UTF-8 of clients.
func wireName(name string) string {
	return decompose(strings.ReplaceAll(plain(name), ":", "/"))
}

// longName is a name of the tree in MacRoman. One that is too long, or has letters
// that MacRoman lacks, is told by the number of what it names.
func longName(name string, number uint32) string {
	name = strings.ReplaceAll(plain(name), ":", "/")
	long, ok := afpwire.ToMacRoman(name)
	if ok && len(long) <= maxLongName {
		return long
	}
	const maxExt = 5
	ext, _ := afpwire.ToMacRoman(path.Ext(strings.ReplaceAll(name, "/", "-")))
	if len(ext) > maxExt || len(ext) == len(long) {
		ext = ""
	}
	tail := fmt.Sprintf("#%X%s", number, ext)
	return long[:min(len(long)-len(ext), maxLongName-len(tail))] + tail
}

var numberedName = regexp.MustCompile(`#([0-9A-F]{2,8})(\.[^.#]{0,4})?$`)

// numberIn returns the number in what longName made; ok is false if it has none.
func numberIn(long string) (number uint32, ok bool) {
	m := numberedName.FindStringSubmatch(long)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseUint(m[1], 16, 32)
	return uint32(n), err == nil
}

// plain writes private characters as those that they stand for.
func plain(name string) string {
	const first = 0xef // the byte that all of them begin with
	if strings.IndexByte(name, first) < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		c, size := fold.Decode(name[i:])
		if fold.IsPrivate(c) {
			b.WriteByte(fold.Plain(c))
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// treeName is a name that a client sent as the tree has it. It is none of the
// names that lead elsewhere.
func treeName(wire string, kind afpwire.PathType) (string, error) {
	name := compose(wire)
	if kind != afpwire.UTF8Names {
		name = afpwire.FromMacRoman(wire)
	}
	name = strings.ReplaceAll(name, "/", ":")
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, 0) {
		return "", afpwire.ResultParamErr
	}
	return name, nil
}
