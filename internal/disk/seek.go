package disk

import (
	"io"

	"golang.org/x/sys/unix"
)

// SeekData returns the start of the first data at or after off; io.EOF when
// only a hole follows.
func (n *Node) SeekData(off int64) (int64, error) { return n.seek(off, seekData) }

// SeekHole returns the start of the first hole at or after off. The end of the
// file is one.
func (n *Node) SeekHole(off int64) (int64, error) { return n.seek(off, seekHole) }

func (n *Node) seek(off int64, whence int) (int64, error) {
	if err := n.begin(OpSeek, ""); err != nil {
		return 0, err
	}
	defer n.end()
	pos, err := unix.Seek(n.fd, off, whence)
	if err == unix.ENXIO {
		return 0, io.EOF
	}
	return pos, fail(OpSeek, n.name, err)
}
