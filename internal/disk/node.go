package disk

import (
	"cmp"
	"errors"
	"math"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// Node is an open descriptor of a file, a folder or, opened with PathOnly, of
// a mere place.
//
// Close may be called while other calls run: the last of them closes the
// descriptor, so that no call ever meets a number that the system has given to
// another file meanwhile.
type Node struct {
	fd     int
	name   string // for errors; from the root when faults is set
	flags  Flags
	cred   *Cred // who opened it: writes are accounted to them
	faults Faults
	mount  *mount // what is known about the file system of the root
	after  func() // called once the descriptor is closed; may be nil

	// uses counts the calls in flight; the sign bit says that Close was called.
	uses atomic.Int32
}

// mount is what all nodes of a root share.
type mount struct {
	handleFlags atomic.Int32 // of name_to_handle_at: those that worked last; or noHandles
}

// OpenRoot opens the folder at path, which everything else is reached from.
// Symbolic links in path are followed.
func OpenRoot(path string) (*Node, error) { return OpenRootWith(path, nil) }

// OpenRootWith is OpenRoot with faults, which the nodes opened below it keep.
func OpenRootWith(path string, f Faults) (*Node, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, fail(OpOpen, path, err)
	}
	n := &Node{fd: fd, flags: Read | Directory, faults: f, mount: new(mount)}
	n.mount.handleFlags.Store(handleFlagsOf(fd))
	return n, nil
}

// OpenRealRoot is OpenRootWith for an absolute path that has no symbolic links. One
// that was put on the way meanwhile leads nowhere: KindLoop or KindNotDir.
func OpenRealRoot(path string, f Faults) (*Node, error) {
	top, err := OpenRootWith("/", nil)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	below := cmp.Or(strings.TrimLeft(path, "/"), ".")
	fd, err := top.openAs(nil, below, How{Flags: Read | Directory | NoFollow | NoSymlinks})
	if err != nil {
		return nil, fail(OpOpen, path, err)
	}
	n := &Node{fd: fd, flags: Read | Directory, faults: f, mount: new(mount)}
	n.mount.handleFlags.Store(handleFlagsOf(fd))
	return n, nil
}

// child makes the Node of a descriptor that was opened below n.
func (n *Node) child(fd int, name string, flags Flags, c *Cred) *Node {
	if n.faults != nil {
		name = join(n.name, name)
	}
	return &Node{fd: fd, name: name, flags: flags, cred: c, faults: n.faults, mount: n.mount}
}

// Flags returns what the node was opened with.
func (n *Node) Flags() Flags { return n.flags }

var errClosed = errors.New("descriptor was closed")

// begin enters a call on the descriptor; the caller defers end.
func (n *Node) begin(op Op, name string) error {
	if err := n.hold(op, name); err != nil {
		return err
	}
	if err := n.ask(op, name); err != nil {
		n.end()
		return err
	}
	return nil
}

// hold keeps the descriptor open until end.
func (n *Node) hold(op Op, name string) error {
	for {
		uses := n.uses.Load()
		if uses < 0 {
			return vfs.NewError(string(op), join(n.name, name), vfs.KindClosed, errClosed)
		}
		if n.uses.CompareAndSwap(uses, uses+1) {
			return nil
		}
	}
}

func (n *Node) end() {
	if n.uses.Add(-1) == math.MinInt32 {
		n.close()
	}
}

func (n *Node) close() {
	unix.Close(n.fd)
	if n.after != nil {
		n.after()
	}
}

// Hold keeps the descriptor open, as a call in flight does, until Drop.
// KindClosed if Close was called already.
func (n *Node) Hold(op Op) error { return n.hold(op, "") }

// Drop ends a Hold.
func (n *Node) Drop() { n.end() }

// AfterClose has f called by whoever ends the last use of n once Close was
// called. It is set before n is used by others.
func (n *Node) AfterClose(f func()) { n.after = f }

// Close ends the use of the node. The descriptor goes with the last call in
// flight. An error of the system's close is not reported: what was written and
// must be safe was synced before. A second Close is KindClosed.
func (n *Node) Close() error {
	for {
		uses := n.uses.Load()
		if uses < 0 {
			return vfs.NewError(string(OpClose), n.name, vfs.KindClosed, errClosed)
		}
		if !n.uses.CompareAndSwap(uses, uses|math.MinInt32) {
			continue
		}
		if uses == 0 {
			n.close()
		}
		return nil
	}
}

// ignoringEINTR calls f until no signal interrupts it.
func ignoringEINTR(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if err != unix.EINTR {
			return n, err
		}
	}
}
