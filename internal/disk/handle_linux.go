package disk

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	maxHandle   = 128 // MAX_HANDLE_SZ
	atHandleFID = 0x200
	noHandles   = -1 // in place of flags
)

// handleFlagsOf returns what to begin with on the file system of the root fd.
// The handles of FUSE are of no use: they hold the number of a look-up, which
// is another once the kernel has forgotten the file.
func handleFlagsOf(fd int) int32 {
	var s unix.Statfs_t
	if err := unix.Fstatfs(fd, &s); err == nil && s.Type == unix.FUSE_SUPER_MAGIC {
		return noHandles
	}
	return 0
}

// fileHandle is struct file_handle.
type fileHandle struct {
	size  uint32
	kind  int32
	bytes [maxHandle]byte
}

// handle returns the identity of the entry name, or of n itself if that is "".
// It asks with the flags that worked last, and remembers those that do:
// some file systems (overlayfs) have no handle by which a file could be opened
// again, but since Linux 6.5 one that only identifies it.
func (n *Node) handle(name string) (Handle, error) {
	flags := 0
	if name == "" {
		flags = unix.AT_EMPTY_PATH
	}
	kind := n.mount.handleFlags.Load()
	if kind == noHandles {
		return n.makeHandle(name, flags)
	}
	h, err := nameToHandleAt(n.fd, name, flags|int(kind))
	if err == nil {
		return h, nil
	}
	if err == unix.EOPNOTSUPP || err == unix.EINVAL {
		other := kind ^ atHandleFID
		if h, err := nameToHandleAt(n.fd, name, flags|int(other)); err == nil {
			n.mount.handleFlags.Store(other)
			return h, nil
		}
		return n.makeHandle(name, flags)
	}
	return Handle{}, err
}

// makeHandle makes an identity where the system has none to give.
func (n *Node) makeHandle(name string, flags int) (Handle, error) {
	if name != "" {
		flags |= unix.AT_SYMLINK_NOFOLLOW
	}
	var x unix.Statx_t
	if err := statx(n.fd, name, flags, unix.STATX_INO|unix.STATX_BTIME, &x); err != nil {
		return Handle{}, err
	}
	var b [20]byte
	binary.LittleEndian.PutUint64(b[0:], x.Ino)
	binary.LittleEndian.PutUint64(b[8:], uint64(x.Btime.Sec))
	binary.LittleEndian.PutUint32(b[16:], x.Btime.Nsec)
	return newHandle(handleMade, b[:]), nil
}

func nameToHandleAt(dir int, name string, flags int) (Handle, error) {
	var buf [shortPath]byte
	p, err := cstring(buf[:0], name)
	if err != nil {
		return Handle{}, err
	}
	var mount int32
	h := fileHandle{size: maxHandle}
	_, _, errno := unix.Syscall6(unix.SYS_NAME_TO_HANDLE_AT, uintptr(dir), uintptr(unsafe.Pointer(&p[0])),
		uintptr(unsafe.Pointer(&h)), uintptr(unsafe.Pointer(&mount)), uintptr(flags), 0)
	if errno != 0 {
		return Handle{}, errno
	}
	return newHandle(h.kind, h.bytes[:min(h.size, maxHandle)]), nil
}
