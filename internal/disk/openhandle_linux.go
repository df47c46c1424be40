package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// OpenHandle opens the node that has the handle h on the file system of n, whatever
// it is called, as a mere place and as the process. KindStale when there is none any
// more, KindUnsupported where handles tell nodes apart and no more, KindAccess for
// a process that may not.
func (n *Node) OpenHandle(h Handle) (*Node, error) {
	if h.Type < 0 || n.mount.handleFlags.Load() != 0 {
		return nil, vfs.NewError(string(OpOpen), n.name, vfs.KindUnsupported, nil)
	}
	if err := n.begin(OpOpen, ""); err != nil {
		return nil, err
	}
	defer n.end()
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.OpenByHandleAt(n.fd, unix.NewFileHandle(h.Type, h.Bytes[:h.Size]), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	})
	if err != nil {
		return nil, fail(OpOpen, n.name, err)
	}
	return n.child(fd, "", PathOnly, nil), nil
}
