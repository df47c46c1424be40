//go:build freebsd || darwin

package disk

import (
	"time"

	"golang.org/x/sys/unix"
)

func (n *Node) utimes(accessed, modified time.Time) error {
	st, err := fstat(n.fd)
	if err != nil {
		return err
	}
	if accessed.IsZero() {
		accessed = st.Accessed
	}
	if modified.IsZero() {
		modified = st.Modified
	}
	return futimens(n.fd, [2]unix.Timespec{timespec(accessed), timespec(modified)})
}

func timespec(t time.Time) unix.Timespec {
	return unix.Timespec{Sec: t.Unix(), Nsec: int64(t.Nanosecond())}
}

func (n *Node) chmod(mode uint32) error {
	return n.reopen(func(fd int) error { return unix.Fchmod(fd, mode) })
}

func (n *Node) chown(uid, gid int) error {
	return n.reopen(func(fd int) error { return unix.Fchown(fd, uid, gid) })
}

// access decides by the permission bits, as the process.
func (n *Node) access(r Rights) error {
	st, err := fstat(n.fd)
	if err != nil {
		return err
	}
	c := Self()
	if c.UID != 0 && !c.permits(&st, r) {
		return unix.EACCES
	}
	return nil
}
