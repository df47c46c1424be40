package disk

import (
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tooSmall tells a buffer that is too small from other ranges.
func tooSmall(err error) error {
	if err == unix.ERANGE {
		return unix.E2BIG
	}
	return err
}

// A descriptor opened with PathOnly has no calls for extended attributes; its
// path in /proc has.

func (n *Node) getxattr(name string, buf []byte) (int, error) {
	if n.flags.Has(PathOnly) {
		return unix.Getxattr(n.procPath(), name, buf)
	}
	return fgetxattr(n.fd, name, buf)
}

// noGetxattrat is set once the kernel, before 6.13, has refused the call.
var noGetxattrat atomic.Bool

func (n *Node) getxattrat(name, attr string, buf []byte) (int, error) {
	if !noGetxattrat.Load() {
		k, err := getxattrat(n.fd, name, attr, buf)
		if err != unix.ENOSYS {
			return k, err
		}
		noGetxattrat.Store(true)
	}
	return unix.Lgetxattr(n.procPath()+"/"+name, attr, buf)
}

func (n *Node) setxattr(name string, value []byte) error {
	if n.flags.Has(PathOnly) {
		return unix.Setxattr(n.procPath(), name, value, 0)
	}
	return unix.Fsetxattr(n.fd, name, value, 0)
}

func (n *Node) removexattr(name string) error {
	if n.flags.Has(PathOnly) {
		return unix.Removexattr(n.procPath(), name)
	}
	return unix.Fremovexattr(n.fd, name)
}

func (n *Node) listxattr() ([]string, error) {
	list := unix.Flistxattr
	if n.flags.Has(PathOnly) {
		list = func(_ int, buf []byte) (int, error) { return unix.Listxattr(n.procPath(), buf) }
	}
	for buf := make([]byte, 1024); ; buf = make([]byte, 64<<10) { // 64 kB is the system's limit
		k, err := list(n.fd, buf)
		if err == unix.ERANGE && len(buf) == 1024 {
			continue
		}
		if err != nil || k == 0 {
			return nil, err
		}
		return strings.Split(strings.TrimSuffix(string(buf[:k]), "\x00"), "\x00"), nil
	}
}

func fgetxattr(fd int, name string, buf []byte) (int, error) {
	var b [shortPath]byte
	p, err := cstring(b[:0], name)
	if err != nil {
		return 0, err
	}
	k, _, errno := unix.Syscall6(unix.SYS_FGETXATTR, uintptr(fd), uintptr(unsafe.Pointer(&p[0])),
		uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)), 0, 0)
	return int(k), errOf(errno)
}

// getxattrat takes struct xattr_args: the value's address 8, its size 4, flags 4.
func getxattrat(dir int, path, attr string, buf []byte) (int, error) {
	var pathBuf, attrBuf [shortPath]byte
	p, err := cstring(pathBuf[:0], path)
	if err != nil {
		return 0, err
	}
	a, err := cstring(attrBuf[:0], attr)
	if err != nil {
		return 0, err
	}
	// struct xattr_args: the pointer has 64 bits on every machine. (Those whose
	// pointers are shorter and whose order of bytes is the other are not built for.)
	args := struct {
		value unsafe.Pointer
		_     [8 - unsafe.Sizeof(uintptr(0))]byte
		size  uint32
		flags uint32
	}{value: unsafe.Pointer(unsafe.SliceData(buf)), size: uint32(len(buf))}
	k, _, errno := unix.Syscall6(unix.SYS_GETXATTRAT, uintptr(dir), uintptr(unsafe.Pointer(&p[0])),
		unix.AT_SYMLINK_NOFOLLOW, uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args))
	return int(k), errOf(errno)
}
