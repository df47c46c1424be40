package disk

import (
	"time"

	"golang.org/x/sys/unix"
)

func (n *Node) utimes(accessed, modified time.Time) error {
	ts := [2]unix.Timespec{timespec(accessed), timespec(modified)}
	return unix.UtimesNanoAt(n.fd, "", ts[:], unix.AT_EMPTY_PATH)
}

func timespec(t time.Time) unix.Timespec {
	if t.IsZero() {
		return unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return unix.Timespec{Sec: t.Unix(), Nsec: int64(t.Nanosecond())}
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
