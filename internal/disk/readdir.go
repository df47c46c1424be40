package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// DirEntry is an entry of a folder as the system lists it.
type DirEntry struct {
	Name []byte // valid until the next ReadDir into the same buffer
	Ino  uint64
	Type vfs.Type // 0 where the file system doesn't say
	Next int64    // for SeekDir: the place after this entry
}

// DirBuffer is the size of a buffer for ReadDir that is fast without keeping
// the folder's lock long.
const DirBuffer = 64 << 10

// Dirents are entries that ReadDir read. The zero Dirents is empty.
type Dirents struct{ rest []byte }

// Next returns the next entry, false after the last. "." and ".." are left out.
func (d *Dirents) Next() (DirEntry, bool) {
	for len(d.rest) > 0 {
		e, size := parseDirent(d.rest)
		if size <= 0 || size > len(d.rest) {
			d.rest = nil
			break
		}
		d.rest = d.rest[size:]
		if e.Ino == 0 && !inoZeroIsEntry || isDot(e.Name) {
			continue
		}
		return e, true
	}
	return DirEntry{}, false
}

func isDot(name []byte) bool {
	return len(name) > 0 && name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.')
}

// ReadDir reads entries of the folder n from its position into buf. done is
// true at the end. The position belongs to the node: one enumeration at a time
// on each, see OpenList.
func (n *Node) ReadDir(buf []byte) (d Dirents, done bool, err error) {
	if err := n.begin(OpList, ""); err != nil {
		return d, false, err
	}
	defer n.end()
	k, err := ignoringEINTR(func() (int, error) { return getdents(n.fd, buf) })
	if err != nil {
		return d, false, fail(OpList, n.name, err)
	}
	return Dirents{buf[:k]}, k == 0, nil
}

// SeekDir sets the position of the folder n: 0 is the start, others are Next
// of an entry.
func (n *Node) SeekDir(pos int64) error {
	if err := n.begin(OpList, ""); err != nil {
		return err
	}
	defer n.end()
	_, err := unix.Seek(n.fd, pos, unix.SEEK_SET)
	return fail(OpList, n.name, err)
}

// OpenList opens the folder n once more, with a position of its own.
func (n *Node) OpenList(c *Cred) (*Node, error) {
	return n.Open(c, ".", How{Flags: Read | Directory})
}

// direntType translates d_type.
func direntType(t uint8) vfs.Type {
	switch t {
	case unix.DT_UNKNOWN:
		return 0
	case unix.DT_REG:
		return vfs.TypeFile
	case unix.DT_DIR:
		return vfs.TypeDir
	case unix.DT_LNK:
		return vfs.TypeSymlink
	}
	return vfs.TypeOther
}
