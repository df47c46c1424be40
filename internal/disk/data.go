package disk

import (
	"io"
	"math"

	"golang.org/x/sys/unix"
)

// maxTransfer is the most that one call moves on any system.
const maxTransfer = math.MaxInt32 &^ 4095

// ReadAt is io.ReaderAt.
func (n *Node) ReadAt(p []byte, off int64) (int, error) {
	if err := n.hold(OpRead, ""); err != nil {
		return 0, err
	}
	defer n.end()
	done := 0
	for done < len(p) {
		limit, err := n.askData(OpRead, off+int64(done), min(len(p)-done, maxTransfer))
		if err != nil {
			return done, fail(OpRead, n.name, err)
		}
		k, err := unix.Pread(n.fd, p[done:done+limit], off+int64(done))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return done, fail(OpRead, n.name, err)
		case k == 0:
			return done, io.EOF
		}
		done += k
	}
	return done, nil
}

// WriteAt is io.WriterAt. It acts with the user id that n was opened with, so
// that quotas and reserved blocks count for them.
func (n *Node) WriteAt(p []byte, off int64) (int, error) {
	if err := n.hold(OpWrite, ""); err != nil {
		return 0, err
	}
	defer n.end()
	done := 0
	err := n.cred.actAsUser(func() error {
		for done < len(p) {
			limit, err := n.askData(OpWrite, off+int64(done), min(len(p)-done, maxTransfer))
			if err != nil {
				return err
			}
			k, err := unix.Pwrite(n.fd, p[done:done+limit], off+int64(done))
			switch {
			case err == unix.EINTR:
				continue
			case err != nil:
				return err
			case k == 0:
				return unix.ENOSPC // no system does this, but never loop
			}
			n.tell(nil, Call{Op: OpWrite, Offset: off + int64(done), Len: k, Data: p[done : done+k]})
			done += k
		}
		return nil
	})
	return done, fail(OpWrite, n.name, err)
}

// Truncate sets the size of the file n; a larger one reads as zeros.
func (n *Node) Truncate(size int64) error {
	err := n.changeData(OpTruncate, func() error { return unix.Ftruncate(n.fd, size) })
	return n.tell(err, Call{Op: OpTruncate, Offset: size})
}

// changeData makes a call that changes the data of n.
func (n *Node) changeData(op Op, call func() error) error {
	if err := n.begin(op, ""); err != nil {
		return err
	}
	defer n.end()
	return fail(op, n.name, n.cred.actAsUser(func() error {
		_, err := ignoringEINTR(func() (int, error) { return 0, call() })
		return err
	}))
}

// Sync returns when data and attributes of n are on the disk.
func (n *Node) Sync() error { return n.sync(func() error { return unix.Fsync(n.fd) }) }

func (n *Node) sync(call func() error) error {
	if err := n.begin(OpSync, ""); err != nil {
		return err
	}
	defer n.end()
	_, err := ignoringEINTR(func() (int, error) { return 0, call() })
	return n.tell(fail(OpSync, n.name, err), Call{Op: OpSync})
}
