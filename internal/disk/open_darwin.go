package disk

import "golang.org/x/sys/unix"

// walkFlags open a folder for its entries to be looked up.
const walkFlags = unix.O_SEARCH

// openAs walks: the system has no call that stays beneath a folder.
func (n *Node) openAs(c *Cred, path string, how How) (int, error) {
	if c.guarded() {
		return n.openGuarded(c, path, how)
	}
	return walkOpen(n.fd, path, how.Flags, nil, func(dir int, name string) (int, error) {
		return openat(dir, name, how)
	})
}

// openat opens the entry name of dir and follows no link.
func openat(dir int, name string, how How) (int, error) {
	return ignoringEINTR(func() (int, error) {
		return unix.Openat(dir, name, how.open()|unix.O_NOFOLLOW, how.Mode&0o7777)
	})
}

// open translates how to the flags of openat. What comes nearest to a mere
// place is a descriptor for events. O_NONBLOCK, so that a pipe without a peer
// can't hold a thread.
func (how How) open() int {
	flags := unix.O_CLOEXEC | unix.O_NOCTTY | unix.O_NONBLOCK
	if how.Flags.Has(PathOnly) {
		flags |= unix.O_EVTONLY
		if how.Flags.Has(NoFollow) {
			return flags | unix.O_SYMLINK
		}
	}
	return flags | how.common()
}

func (n *Node) reopen(use func(fd int) error) error { return use(n.fd) }
