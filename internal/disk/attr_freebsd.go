package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

func futimens(fd int, ts [2]unix.Timespec) error {
	_, _, errno := unix.Syscall(unix.SYS_FUTIMENS, uintptr(fd), uintptr(unsafe.Pointer(&ts)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
