package disk

import "golang.org/x/sys/unix"

// Flags of FreeBSD 13.1 that x/sys has no names for.
const (
	oPath      = 0x400000
	oEmptyPath = 0x2000000
)

// walkFlags open a folder for its entries to be looked up.
const walkFlags = oPath

func (n *Node) openAs(c *Cred, path string, how How) (int, error) {
	if c.guarded() {
		return n.openGuarded(c, path, how)
	}
	if how.Flags.Has(NoSymlinks) {
		return walkOpen(n.fd, path, how.Flags, nil, func(dir int, name string) (int, error) {
			return openat(dir, name, how)
		})
	}
	return ignoringEINTR(func() (int, error) {
		return unix.Openat(n.fd, path, how.open()|unix.O_RESOLVE_BENEATH, how.Mode&0o7777)
	})
}

// openat opens the entry name of dir and follows no link.
func openat(dir int, name string, how How) (int, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Openat(dir, name, how.open()|unix.O_NOFOLLOW, how.Mode&0o7777)
	})
	if err == unix.EMLINK { // what FreeBSD says of a link
		err = unix.ELOOP
	}
	return fd, err
}

// open translates how to the flags of openat. O_NONBLOCK, so that a pipe
// without a peer can't hold a thread.
func (how How) open() int {
	flags := unix.O_CLOEXEC | unix.O_NOCTTY | unix.O_NONBLOCK
	if how.Flags.Has(PathOnly) {
		flags = unix.O_CLOEXEC | oPath
	}
	return flags | how.common()
}

// reopen opens n for its extended attributes, where a mere place won't do.
func (n *Node) reopen(use func(fd int) error) error {
	if !n.flags.Has(PathOnly) {
		return use(n.fd)
	}
	fd, err := unix.Openat(n.fd, "", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|oEmptyPath, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return use(fd)
}
