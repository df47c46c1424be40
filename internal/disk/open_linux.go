package disk

import "golang.org/x/sys/unix"

func (n *Node) openAs(c *Cred, path string, how How) (fd int, err error) {
	if c.guarded() {
		return n.openGuarded(c, path, how)
	}
	h := how.open()
	err = c.act(func() (err error) {
		fd, err = openat2(n.fd, path, &h)
		if err == unix.ENOSYS { // before Linux 5.6, or kept from us by a sandbox
			fd, err = n.walkOpen(path, how)
		}
		return err
	})
	return fd, err
}

// walkOpen is Open for kernels without openat2.
func (n *Node) walkOpen(path string, how How) (int, error) {
	return walkOpen(n.fd, path, how.Flags, nil, func(dir int, name string) (int, error) {
		return openat(dir, name, how)
	})
}

// openat opens the entry name of dir and follows no link.
func openat(dir int, name string, how How) (int, error) {
	h := how.open()
	return ignoringEINTR(func() (int, error) {
		return unix.Openat(dir, name, int(h.Flags)|unix.O_NOFOLLOW, uint32(h.Mode))
	})
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
