package disk

import (
	"strings"
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
