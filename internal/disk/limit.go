package disk

import "golang.org/x/sys/unix"

// OpenLimit returns how many descriptors the process may have open.
func OpenLimit() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 256 // what every system gives at least
	}
	return int(min(uint64(limit.Cur), 1<<30))
}
