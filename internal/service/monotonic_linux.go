package service

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is the time by the clock that systemd reckons with.
func monotonic() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
