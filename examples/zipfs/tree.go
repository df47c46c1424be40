package zipfs

import (
	"archive/zip"
	"encoding/binary"
	"hash/fnv"
	"io/fs"
	"strings"
	"time"
	"unicode"

	"github.com/dozo-server/dozo/vfs"
)

// rootID is the smallest id that vfs.Attr allows. The other nodes follow in the
// order of the archive, so they have the same ids each time it is served.
const rootID = 17

// node is a file or folder. It never changes once the tree is made, so nobody
// has to lock it.
type node struct {
	parent   *node // nil for the root
	name     string
	id       uint64
	modified time.Time

	entry *zip.File // of a file

	list   []*node          // of a folder: what it holds, in the order of the archive
	exact  map[string]*node // by name; nil for a file
	folded map[string]*node // by folded name: the first of those that differ in case
}

func newFolder(parent *node, name string, id uint64) *node {
	return &node{parent: parent, name: name, id: id, exact: map[string]*node{}, folded: map[string]*node{}}
}

// fold maps the spellings of a name that are one to one string.
func fold(name string) string { return strings.Map(unicode.ToUpper, name) }

// find finds an entry of a folder: the one that is spelt just so, else one in
// another case.
func (n *node) find(name string, exact bool) *node {
	if found := n.exact[name]; found != nil || exact {
		return found
	}
	return n.folded[fold(name)]
}

// walk finds what stands at path, nil with the Kind of error if there is none.
func (s *FS) walk(path string, exact bool) (*node, vfs.Kind) {
	n := s.root
	for more := path != ""; more; {
		var name string
		name, path, more = strings.Cut(path, "/")
		if n.exact == nil { // a file on the way
			return nil, vfs.KindPathNotExist
		}
		if n = n.find(name, exact); n == nil && more {
			return nil, vfs.KindPathNotExist
		}
		if n == nil {
			return nil, vfs.KindNotExist
		}
	}
	return n, 0
}

// path is the path of n from the root.
func (n *node) path() string {
	if n.parent == nil || n.parent.parent == nil {
		return n.name
	}
	return n.parent.path() + "/" + n.name
}

// fill makes the tree of an archive and returns an id of what is in it. Names that
// lead out of the tree, and a second entry of a name, are left out.
func (s *FS) fill(archive *zip.Reader) (id [16]byte) {
	sum := fnv.New128a()
	for _, entry := range archive.File {
		sum.Write(binary.LittleEndian.AppendUint32([]byte(entry.Name), entry.CRC32))
		// Programs of Windows wrote backslashes, those of DOS its own letters.
		name := strings.ToValidUTF8(strings.ReplaceAll(entry.Name, `\`, "/"), "_")
		name, isFolder := strings.CutSuffix(name, "/")
		if !fs.ValidPath(name) || name == "." || strings.Contains(name, "\x00") {
			continue
		}
		if isFolder {
			s.folder(name, entry.Modified)
			continue
		}
		dir, base := s.root, name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			dir, base = s.folder(name[:i], entry.Modified), name[i+1:]
		}
		if dir == nil || dir.exact[base] != nil {
			continue
		}
		s.add(dir, &node{parent: dir, name: base, modified: entry.Modified, entry: entry})
		s.space.Total += int64(entry.UncompressedSize64)
	}
	s.space.BlockSize = 1
	sum.Sum(id[:0])
	return id
}

// folder returns the folder at path, and makes it where the archive has only what
// is in it. It is as new as what is newest there. nil: a file is in the way.
func (s *FS) folder(path string, modified time.Time) *node {
	n := s.root
	for name := range strings.SplitSeq(path, "/") {
		below := n.exact[name]
		if below == nil {
			below = newFolder(n, name, 0)
			s.add(n, below)
		}
		if n = below; n.exact == nil {
			return nil
		}
		if modified.After(n.modified) {
			n.modified = modified
		}
	}
	return n
}

func (s *FS) add(dir, n *node) {
	s.space.Files++
	n.id = rootID + uint64(s.space.Files)
	dir.list = append(dir.list, n)
	dir.exact[n.name] = n
	if key := fold(n.name); dir.folded[key] == nil {
		dir.folded[key] = n
	}
	if n.modified.After(s.root.modified) {
		s.root.modified = n.modified
	}
}

// attr are the attributes of n. Nothing but the time of modification is known.
func (n *node) attr() vfs.Attr {
	a := vfs.Attr{
		Type: vfs.TypeFile, Mode: 0o444, Links: 1, ID: n.id,
		Birth: n.modified, Modified: n.modified, Changed: n.modified, Accessed: n.modified,
	}
	if n.parent != nil {
		a.Parent = n.parent.id
	}
	if n.entry == nil {
		a.Type, a.Mode, a.DOS = vfs.TypeDir, 0o555, vfs.DOSDirectory
		return a
	}
	a.Size = int64(n.entry.UncompressedSize64)
	a.Allocated = int64(n.entry.CompressedSize64)
	return a
}
