package disk

import (
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls below are made for every request. Unlike their namesakes in x/sys
// they copy a path to the stack, not to the heap.

// shortPath is the longest path that is copied to the stack, with its NUL.
const shortPath = 256

// cstring returns path with a NUL appended, in buf if it fits.
func cstring(buf []byte, path string) ([]byte, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, unix.EINVAL
	}
	return append(append(buf, path...), 0), nil
}

func openat2(dir int, path string, how *unix.OpenHow) (int, error) {
	var buf [shortPath]byte
	p, err := cstring(buf[:0], path)
	if err != nil {
		return -1, err
	}
	// RESOLVE_BENEATH answers EAGAIN when a rename anywhere on the system
	// may have made a ".." of the path wrong meanwhile.
	for tries := 0; ; tries++ {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT2, uintptr(dir), uintptr(unsafe.Pointer(&p[0])),
			uintptr(unsafe.Pointer(how)), unix.SizeofOpenHow, 0, 0)
		switch {
		case errno == 0:
			return int(fd), nil
		case errno == unix.EINTR, errno == unix.EAGAIN && tries < 16:
		default:
			return -1, errno
		}
	}
}

func statx(dir int, path string, flags, mask int, st *unix.Statx_t) error {
	var buf [shortPath]byte
	p, err := cstring(buf[:0], path)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall6(unix.SYS_STATX, uintptr(dir), uintptr(unsafe.Pointer(&p[0])),
		uintptr(flags), uintptr(mask), uintptr(unsafe.Pointer(st)), 0)
	return errOf(errno)
}

func unlinkat(dir int, path string, flags int) error {
	var buf [shortPath]byte
	p, err := cstring(buf[:0], path)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_UNLINKAT, uintptr(dir), uintptr(unsafe.Pointer(&p[0])), uintptr(flags))
	return errOf(errno)
}

func renameat2(dir int, path string, toDir int, toPath string, flags uint) error {
	var buf, toBuf [shortPath]byte
	p, err := cstring(buf[:0], path)
	if err != nil {
		return err
	}
	to, err := cstring(toBuf[:0], toPath)
	if err != nil {
		return err
	}
	_, _, errno := unix.Syscall6(unix.SYS_RENAMEAT2, uintptr(dir), uintptr(unsafe.Pointer(&p[0])),
		uintptr(toDir), uintptr(unsafe.Pointer(&to[0])), uintptr(flags), 0)
	return errOf(errno)
}

// errOf avoids an error interface that holds the errno 0.
func errOf(errno unix.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}
