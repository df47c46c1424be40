package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// Flags say how a node is opened.
type Flags uint32

// The flags. Without Read and Write the node is opened for reading, unless it
// is PathOnly.
const (
	Read       Flags = 1 << iota
	Write            // together with Read: both
	Create           // make a file if there is none
	Exclusive        // with Create: fail if something is there, a dangling link included
	Truncate         // make the file empty
	Directory        // fail unless it is a folder
	PathOnly         // a place: for attributes, not for data; needs no right to the file
	NoFollow         // a symbolic link at the end is not followed; with PathOnly it is opened itself
	NoSymlinks       // nor is one on the way
)

// Has reports whether f includes all of g.
func (f Flags) Has(g Flags) bool { return f&g == g }

// How says how Open opens.
type How struct {
	Flags Flags
	Mode  uint32 // permission bits of a file that is made
}

// Open opens path below the folder n, as c. It costs one system call. A path
// or symbolic link that leads out of n is KindOutside.
func (n *Node) Open(c *Cred, path string, how How) (*Node, error) {
	if path == "" {
		path = "."
	}
	if err := n.begin(OpOpen, path); err != nil {
		return nil, err
	}
	defer n.end()

	fd, err := n.openAs(c, path, how)
	if err != nil {
		return nil, failOpen(path, err)
	}
	n.tell(nil, Call{Op: OpOpen, Path: path, Flags: how.Flags})
	return n.child(fd, path, how.Flags, c), nil
}

// failOpen is fail for Open, where EXDEV says that the path led out.
func failOpen(path string, err error) error {
	if err == unix.EXDEV {
		return vfs.NewError(string(OpOpen), path, vfs.KindOutside, err)
	}
	return fail(OpOpen, path, err)
}
