package disk

import "golang.org/x/sys/unix"

// futimens has no wrapper in x/sys; microseconds must do.
func futimens(fd int, ts [2]unix.Timespec) error {
	return unix.Futimes(fd, []unix.Timeval{
		unix.NsecToTimeval(ts[0].Nano()),
		unix.NsecToTimeval(ts[1].Nano()),
	})
}
