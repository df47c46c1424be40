//go:build !386 && !arm

package disk

import "golang.org/x/sys/unix"

// The calls that have other names where words have 32 bits.
const (
	sysSetresuid = unix.SYS_SETRESUID
	sysSetresgid = unix.SYS_SETRESGID
	sysSetgroups = unix.SYS_SETGROUPS
)

// utimens sets the times of what fd stands for.
func utimens(fd int, ts *[2]timespec) error {
	var all [2]unix.Timespec
	for i, t := range ts {
		all[i] = unix.Timespec{Sec: t.sec, Nsec: t.nsec}
	}
	return unix.UtimesNanoAt(fd, "", all[:], unix.AT_EMPTY_PATH)
}
