package disk

import (
	"time"

	"golang.org/x/sys/unix"
)

// SetTimes sets when n was last read and modified, as c; a zero time leaves
// that one as it is.
func (n *Node) SetTimes(c *Cred, accessed, modified time.Time) error {
	return n.change(c, OpSetTimes, func() error { return n.utimes(accessed, modified) })
}

// Chmod sets the permission bits of n, as c.
func (n *Node) Chmod(c *Cred, mode uint32) error {
	return n.change(c, OpChmod, func() error { return n.chmod(mode & 0o7777) })
}

// Chown sets owner and group of n, as c; -1 leaves one as it is.
func (n *Node) Chown(c *Cred, uid, gid int) error {
	if err := n.guardChown(c, uid, gid); err != nil {
		return fail(OpChown, n.name, err)
	}
	return n.change(c, OpChown, func() error { return n.chown(uid, gid) })
}

// Rights are what Access asks about.
type Rights uint32

// The rights, with the values that the systems use.
const (
	MayExecute Rights = 1 << iota // or, of a folder, pass through it
	MayWrite
	MayRead
)

// Access returns nil if c may use n in all ways of r, KindAccess if not.
func (n *Node) Access(c *Cred, r Rights) error {
	return n.change(c, OpAccess, func() error {
		if !c.guarded() {
			return n.access(r)
		}
		st, err := fstat(n.fd)
		if err == nil && !c.permits(&st, r) {
			err = unix.EACCES
		}
		return err
	})
}
