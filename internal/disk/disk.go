// Package disk is the only package that calls the operating system for files.
//
// A Node is an open descriptor. Everything is reached from the Node of a
// share's root by relative paths that never lead out of it: a symbolic link
// that does, and a ".." too many, are errors. Errors are *vfs.Error; one table
// gives each errno its kind.
//
// Calls that name a *Cred act with that account's ids where the process may
// change its own (root on Linux); elsewhere, and with a nil *Cred, they act as
// the process. Modes are subject to the process's umask, see ClearUmask.
//
// All methods may be called by several goroutines at once.
package disk

import "golang.org/x/sys/unix"

// Op names a call, in errors and to Faults.
type Op string

// The calls.
const (
	OpOpen      Op = "open"
	OpMkdir     Op = "mkdir"
	OpSymlink   Op = "symlink"
	OpReadlink  Op = "readlink"
	OpRemove    Op = "remove"
	OpRename    Op = "rename"
	OpLink      Op = "link"
	OpStat      Op = "stat"
	OpHandle    Op = "handle"
	OpList      Op = "list"
	OpRead      Op = "read"
	OpWrite     Op = "write"
	OpTruncate  Op = "truncate"
	OpAllocate  Op = "allocate"
	OpSeek      Op = "seek"
	OpSync      Op = "sync"
	OpGetXattr  Op = "getxattr"
	OpSetXattr  Op = "setxattr"
	OpDelXattr  Op = "removexattr"
	OpListXattr Op = "listxattr"
	OpSetTimes  Op = "utimes"
	OpChmod     Op = "chmod"
	OpChown     Op = "chown"
	OpAccess    Op = "access"
	OpLock      Op = "lock"
	OpSpace     Op = "statfs"
	OpWatch     Op = "watch"
	OpClose     Op = "close"
)

// ClearUmask makes the modes given to Open and Mkdir the ones files get. The
// umask belongs to the whole process, so the program decides, not this package.
func ClearUmask() { unix.Umask(0) }
