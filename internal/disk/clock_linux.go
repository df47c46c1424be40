package disk

import (
	"time"

	"golang.org/x/sys/unix"
)

// Clock returns the time that the system would give a change at this moment, or
// a little less: every change from now on bears that time or a later one. What is
// known of a node whose change time is before it is known until that moves. The
// time of day does not do: the system's stamps stand still for a tick, which on a
// virtual machine that is kept waiting can be long.
func Clock() time.Time {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &t); err != nil {
		return time.Time{} // before everything
	}
	return time.Unix(t.Unix())
}
