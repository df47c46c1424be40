package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

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

	h := how.open()
	var fd int
	err := c.act(func() (err error) {
		fd, err = openat2(n.fd, path, &h)
		return err
	})
	if err == unix.EXDEV {
		return nil, vfs.NewError(string(OpOpen), path, vfs.KindOutside, err)
	}
	if err != nil {
		return nil, fail(OpOpen, path, err)
	}
	return n.child(fd, path, how.Flags, c), nil
}

// open translates how to what the kernel reads.
func (how How) open() unix.OpenHow {
	// O_NONBLOCK, so that a pipe without a peer or a file under another
	// program's lease can't hold a thread.
	h := unix.OpenHow{
		Flags:   unix.O_CLOEXEC | unix.O_LARGEFILE | unix.O_NOCTTY | unix.O_NONBLOCK,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	f := how.Flags
	switch {
	case f.Has(PathOnly):
		h.Flags = unix.O_PATH | unix.O_CLOEXEC // openat2 refuses the others with it
	case f.Has(Read | Write):
		h.Flags |= unix.O_RDWR
	case f.Has(Write):
		h.Flags |= unix.O_WRONLY
	}
	if f.Has(Create) {
		h.Flags |= unix.O_CREAT
		h.Mode = uint64(how.Mode & 0o7777)
	}
	if f.Has(Exclusive) {
		h.Flags |= unix.O_EXCL
	}
	if f.Has(Truncate) {
		h.Flags |= unix.O_TRUNC
	}
	if f.Has(Directory) {
		h.Flags |= unix.O_DIRECTORY
	}
	if f.Has(NoFollow) {
		h.Flags |= unix.O_NOFOLLOW
	}
	if f.Has(NoSymlinks) {
		h.Resolve |= unix.RESOLVE_NO_SYMLINKS
	}
	return h
}
