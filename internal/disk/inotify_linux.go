package disk

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// inotify watches on kernels without fanotify's names. It knows folders by a
// watch number and not who changed them.
type inotify struct{}

const inWatched = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ATTRIB | unix.IN_ONLYDIR

func newInotify() (*Watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fail(OpWatch, "", err)
	}
	return &Watcher{fd: fd, queue: inotify{}, buf: make([]byte, watchBuffer)}, nil
}

// add runs under the Watcher's lock, so no event of the new number is drained
// before enter has returned.
func (inotify) add(fd int, n *Node, enter func(Handle)) error {
	wd, err := unix.InotifyAddWatch(fd, n.procPath(), inWatched)
	if err != nil {
		return err
	}
	enter(watchHandle(int32(wd)))
	return nil
}

func (inotify) remove(fd int, _ *Node, id Handle) error {
	_, err := unix.InotifyRmWatch(fd, binary.LittleEndian.Uint32(id.Bytes[:]))
	return err
}

func watchHandle(wd int32) Handle {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(wd))
	return newHandle(handleWatch, b[:])
}

// parse reads struct inotify_event: watch number 4, mask 4, cookie 4, length
// of the name 4, the name with NULs to a multiple of 16.
//
// The attributes of an entry are reported, too, by its name; nobody here needs
// these.
func (inotify) parse(b []byte) (e Event, size int, ok bool) {
	const header = unix.SizeofInotifyEvent
	if len(b) < header {
		return e, 0, false
	}
	size = header + int(binary.NativeEndian.Uint32(b[12:]))
	if size > len(b) {
		return e, 0, false
	}
	mask := binary.NativeEndian.Uint32(b[4:])
	if mask&unix.IN_Q_OVERFLOW != 0 {
		return e, size, true
	}
	e.Dir = watchHandle(int32(binary.NativeEndian.Uint32(b)))
	e.Gone = mask&unix.IN_IGNORED != 0
	e.Name = b[header:size]
	if i := bytes.IndexByte(e.Name, 0); i >= 0 {
		e.Name = e.Name[:i]
	}
	return e, size, mask&unix.IN_ATTRIB == 0 || len(e.Name) == 0
}
