package disk

import "golang.org/x/sys/unix"

// setLock is the lock that belongs to an open description, not to the process.
const setLock = unix.F_OFD_SETLK
