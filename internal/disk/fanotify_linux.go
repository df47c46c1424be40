package disk

import (
	"bytes"
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fanotify watches by directory marks, whose events name the folder by its
// handle and tell which process it was.
type fanotify struct{ pid int32 }

// watched are the changes of entries, and of the folder's own attributes. A
// folder is modified, for the kernel, when its time of modification alone is set.
const watched = unix.FAN_CREATE | unix.FAN_DELETE | unix.FAN_MOVED_FROM | unix.FAN_MOVED_TO |
	unix.FAN_ATTRIB | unix.FAN_MODIFY | unix.FAN_ONDIR

func newFanotify() (*Watcher, error) {
	const flags = unix.FAN_CLASS_NOTIF | unix.FAN_REPORT_DFID_NAME | unix.FAN_NONBLOCK | unix.FAN_CLOEXEC
	fd, err := unix.FanotifyInit(flags|unix.FAN_UNLIMITED_QUEUE|unix.FAN_UNLIMITED_MARKS, 0)
	if err != nil { // unlimited needs a privilege
		fd, err = unix.FanotifyInit(flags, 0)
	}
	if err != nil {
		return nil, fail(OpWatch, "", err)
	}
	return &Watcher{fd: fd, queue: fanotify{int32(os.Getpid())}, buf: make([]byte, watchBuffer)}, nil
}

func (fanotify) add(fd int, n *Node, enter func(Handle)) error {
	id, err := n.handle("")
	if err != nil {
		return err
	}
	if id.Type == handleMade {
		return unix.EOPNOTSUPP // the events would carry another
	}
	enter(id)
	return unix.FanotifyMark(fd, unix.FAN_MARK_ADD|unix.FAN_MARK_ONLYDIR, watched, n.fd, "")
}

func (fanotify) remove(fd int, n *Node, _ Handle) error {
	return unix.FanotifyMark(fd, unix.FAN_MARK_REMOVE, watched, n.fd, "")
}

// parse reads struct fanotify_event_metadata
//
//	0 length 4, version 1, reserved 1, length of this header 2
//	8 mask 8
//	16 descriptor 4 (none), process 4
//
// and the information record behind it:
//
//	0 type 1, pad 1, length 2
//	4 file system 8
//	12 struct file_handle: length 4, type 4, bytes; then the name with its NUL
//
// The file system is passed over: on btrfs it is the one of the root, whatever
// subvolume the folder is in.
func (q fanotify) parse(b []byte) (e Event, size int, ok bool) {
	const header, record = 24, 20
	if len(b) < header {
		return e, 0, false
	}
	size = int(binary.NativeEndian.Uint32(b))
	if size < header || size > len(b) {
		return e, 0, false
	}
	mask := binary.NativeEndian.Uint64(b[8:])
	if mask&unix.FAN_Q_OVERFLOW != 0 {
		return e, size, true
	}
	e.Own = int32(binary.NativeEndian.Uint32(b[20:])) == q.pid
	info := b[min(int(binary.NativeEndian.Uint16(b[6:])), size):size]
	if len(info) < record || info[0] != unix.FAN_EVENT_INFO_TYPE_DFID_NAME {
		return Event{}, size, true // an event without a place: anything may have changed
	}
	length := int(binary.NativeEndian.Uint32(info[12:]))
	if length > len(info)-record {
		return Event{}, size, true
	}
	e.Dir = newHandle(int32(binary.NativeEndian.Uint32(info[16:])), info[record:record+length])
	name := info[record+length:]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	if !isDot(name) { // "." is the folder itself
		e.Name = name
	}
	return e, size, true
}

func rawRead(fd int, buf []byte) (int, error) {
	k, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)))
	return int(k), errOf(errno)
}
