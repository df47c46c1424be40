package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Quotas returns the quotas of the user and of the group that count on the file
// system of n. Where there are none, or nobody tells, they have no limit. The
// user's own may be asked for by c, those of others by root alone.
func (n *Node) Quotas(c *Cred, uid, gid uint32) (user, group Quota, err error) {
	if err := n.begin(OpSpace, ""); err != nil {
		return user, group, err
	}
	defer n.end()
	err = c.act(func() error {
		user, group = quota(n.fd, userQuota, uid), quota(n.fd, groupQuota, gid)
		return nil
	})
	return user, group, err
}

// Kinds of quotas, USRQUOTA and GRPQUOTA.
const (
	userQuota  = 0
	groupQuota = 1
)

// quota asks by quotactl_fd (Linux 5.14).
func quota(fd int, kind, id uint32) Quota {
	const (
		qGetQuota = 0x800007
		qifBlocks = 0x3 // limits and usage of blocks are told
		block     = 1024
	)
	// struct if_dqblk: limits in blocks of 1024 bytes, usage in bytes
	var d struct {
		hard, soft, used          uint64
		filesHard, filesSoft, num uint64
		blockTime, fileTime       uint64
		valid                     uint32
		_                         uint32 // also where Go would need none
	}
	_, _, errno := unix.Syscall6(unix.SYS_QUOTACTL_FD, uintptr(fd), uintptr(qGetQuota<<8|kind), uintptr(id), uintptr(unsafe.Pointer(&d)), 0, 0)
	if errno != 0 || d.valid&qifBlocks != qifBlocks {
		return Quota{}
	}
	limit := d.hard
	if limit == 0 || d.soft != 0 && d.soft < limit {
		limit = d.soft // what may be used for long
	}
	return Quota{Limit: int64(limit * block), Used: int64(d.used)}
}
