package afpwire

import (
	"iter"
	"strings"

	"github.com/dozo-server/dozo/internal/cursor"
)

// PathType says what the names of a path are.
type PathType uint8

// The path types. Servers of today know no short names; UTF8Names came with
// AFP 3.0.
const (
	ShortNames PathType = 1
	LongNames  PathType = 2
	UTF8Names  PathType = 3
)

// TextEncoding hints at the script in which a name was typed. It matters only
// to who must write the name in an older encoding.
type TextEncoding uint32

// EncodingUTF8 is the hint that Macs and servers send for a name in UTF-8.
const EncodingUTF8 TextEncoding = 0x08000103

// Path names a file or folder as seen from a folder: the folder itself if it
// is empty, else names with NUL between them (AFP Programming Guide,
// "Designating a Path to a CNode").
type Path struct {
	Type PathType
	Hint TextEncoding // of UTF8Names
	Name string       // MacRoman, or UTF-8 as the type says
}

// UTF8Path returns the path through names, decomposed UTF-8, of AFP 3.
func UTF8Path(names ...string) Path {
	return Path{UTF8Names, EncodingUTF8, strings.Join(names, "\x00")}
}

// LongPath returns the path through names, in MacRoman, of AFP 2.
func LongPath(names ...string) Path {
	return Path{Type: LongNames, Name: strings.Join(names, "\x00")}
}

// Parent is what Path.Steps yields for a step up. No name is empty.
const Parent = ""

// Steps walks along the path: down by a name, or up to the Parent for each NUL
// beyond the one that ends a name. A NUL at the start ends nothing and leads
// nowhere.
func (p Path) Steps() iter.Seq[string] {
	return func(yield func(string) bool) {
		rest := p.Name
		for rest != "" {
			name, after, more := strings.Cut(rest, "\x00")
			if name != "" && !yield(name) {
				return
			}
			rest = after
			for more && strings.HasPrefix(rest, "\x00") {
				rest = rest[1:]
				if !yield(Parent) {
					return
				}
			}
		}
	}
}

func (p *Path) decode(r *cursor.Reader) {
	*p = Path{Type: PathType(r.U8())}
	switch p.Type {
	case ShortNames, LongNames:
		p.Name = readPascal(r)
	case UTF8Names:
		p.Hint = TextEncoding(r.BE32())
		p.Name = readUTF8(r)
	default:
		r.Failf("path of type %d", p.Type)
	}
}

func (p *Path) encode(w *cursor.Writer) {
	w.U8(uint8(p.Type))
	if p.Type != UTF8Names {
		writePascal(w, p.Name)
		return
	}
	w.BE32(uint32(p.Hint))
	writeUTF8(w, p.Name)
}
