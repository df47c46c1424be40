//go:build 386 || arm

package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where words have 32 bits, the calls of the usual names take ids of 16 bits,
// which would make an account of a large number another's, and times that end in
// 2038. These have 32 and 64.
const (
	sysSetresuid = unix.SYS_SETRESUID32
	sysSetresgid = unix.SYS_SETRESGID32
	sysSetgroups = unix.SYS_SETGROUPS32
)

// utimens sets the times of what fd stands for.
func utimens(fd int, ts *[2]timespec) error {
	var empty byte
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT_TIME64, uintptr(fd), uintptr(unsafe.Pointer(&empty)),
		uintptr(unsafe.Pointer(ts)), unix.AT_EMPTY_PATH, 0, 0)
	if errno != unix.ENOSYS {
		return errOf(errno)
	}
	var old [2]unix.Timespec // before Linux 5.1
	for i, t := range ts {
		if old[i] = (unix.Timespec{Sec: int32(t.sec), Nsec: int32(t.nsec)}); int64(old[i].Sec) != t.sec {
			return unix.EINVAL
		}
	}
	return unix.UtimesNanoAt(fd, "", old[:], unix.AT_EMPTY_PATH)
}
