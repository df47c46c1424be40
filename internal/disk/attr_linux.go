package disk

import (
	"time"

	"golang.org/x/sys/unix"
)

// timespec is struct __kernel_timespec.
type timespec struct{ sec, nsec int64 }

func (n *Node) utimes(accessed, modified time.Time) error {
	return utimens(n.fd, &[2]timespec{timespecOf(accessed), timespecOf(modified)})
}

func timespecOf(t time.Time) timespec {
	if t.IsZero() {
		return timespec{nsec: unix.UTIME_OMIT}
	}
	return timespec{t.Unix(), int64(t.Nanosecond())}
}

func (n *Node) chmod(mode uint32) error {
	if n.flags.Has(PathOnly) {
		return unix.Chmod(n.procPath(), mode)
	}
	return unix.Fchmod(n.fd, mode)
}

func (n *Node) chown(uid, gid int) error {
	return unix.Fchownat(n.fd, "", uid, gid, unix.AT_EMPTY_PATH)
}

func (n *Node) access(r Rights) error {
	return unix.Faccessat2(n.fd, "", uint32(r), unix.AT_EMPTY_PATH|unix.AT_EACCESS)
}
