package disk

import (
	"golang.org/x/sys/unix"
)

// watchMounts calls changed at each change of the mount table. The kernel
// says so on the table's descriptor by an urgent condition, to each descriptor
// once a change.
func watchMounts(changed func()) (stop func(), err error) {
	table, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fail(OpWatch, "/proc/self/mountinfo", err)
	}
	end, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		unix.Close(table)
		return nil, fail(OpWatch, "/proc/self/mountinfo", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fds := []unix.PollFd{{Fd: int32(table), Events: unix.POLLPRI}, {Fd: int32(end), Events: unix.POLLIN}}
		for fds[1].Revents == 0 {
			if k, err := unix.Poll(fds, -1); err == nil && k > 0 && fds[0].Revents != 0 {
				changed()
			}
		}
	}()
	return func() {
		unix.Write(end, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		<-ended
		unix.Close(table)
		unix.Close(end)
	}, nil
}
