package disk

import (
	"golang.org/x/sys/unix"
)

// LockKind is what LockRange does.
type LockKind int16

// The kinds of locks.
const (
	LockShared    LockKind = unix.F_RDLCK
	LockExclusive LockKind = unix.F_WRLCK
	LockNone      LockKind = unix.F_UNLCK
)
