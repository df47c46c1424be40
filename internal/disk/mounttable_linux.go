package disk

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MountTable tells, when it is asked, whether something was mounted or unmounted
// on the machine. A change is told once its call has returned, or before. The
// methods must not be called at the same time.
type MountTable struct{ fd int }

// OpenMountTable opens the table as it is. An error means that the system does
// not tell.
func OpenMountTable() (*MountTable, error) {
	const path = "/proc/self/mountinfo"
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fail(OpWatch, path, err)
	}
	return &MountTable{fd}, nil
}

// Changed reports whether the table changed since Changed was last called, or
// the table opened. It does not wait, and costs less than a microsecond.
func (m *MountTable) Changed() bool {
	fds := [1]unix.PollFd{{Fd: int32(m.fd), Events: unix.POLLPRI}}
	var at unix.Timespec // at once: no need to tell the scheduler
	k, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds)), 1, uintptr(unsafe.Pointer(&at)), 0, 0, 0)
	runtime.KeepAlive(m)
	return errno != 0 || k > 0 // who can't be asked may have changed
}

// Close gives back what the table takes.
func (m *MountTable) Close() error { return fail(OpWatch, "", unix.Close(m.fd)) }
