package disk

// GetXattr reads the extended attribute name of n into buf and returns the
// part that was filled. KindNoAttr when there is none, KindTooLarge when buf
// is too small.
func (n *Node) GetXattr(name string, buf []byte) ([]byte, error) {
	if err := n.begin(OpGetXattr, ""); err != nil {
		return nil, err
	}
	defer n.end()
	k, err := n.getxattr(name, buf)
	if err != nil {
		return nil, fail(OpGetXattr, n.name, tooSmall(err))
	}
	return buf[:k], nil
}

// GetXattrAt is GetXattr for the entry name of the folder n, of a symbolic link
// itself. It acts as the process.
func (n *Node) GetXattrAt(name, attr string, buf []byte) ([]byte, error) {
	k := 0
	err := n.at(nil, OpGetXattr, name, func() (err error) {
		k, err = n.getxattrat(name, attr, buf)
		return tooSmall(err)
	})
	if err != nil {
		return nil, err
	}
	return buf[:k], nil
}

// SetXattr sets the extended attribute name of n, as c.
func (n *Node) SetXattr(c *Cred, name string, value []byte) error {
	return n.change(c, OpSetXattr, func() error { return n.setxattr(name, value) })
}

// RemoveXattr removes the extended attribute name of n, as c.
func (n *Node) RemoveXattr(c *Cred, name string) error {
	return n.change(c, OpDelXattr, func() error { return n.removexattr(name) })
}

// ListXattr returns the names of the extended attributes of n.
func (n *Node) ListXattr() ([]string, error) {
	if err := n.begin(OpListXattr, ""); err != nil {
		return nil, err
	}
	defer n.end()
	names, err := n.listxattr()
	return names, fail(OpListXattr, n.name, err)
}

// change makes a call that changes attributes of n itself, as c.
func (n *Node) change(c *Cred, op Op, call func() error) error {
	if err := n.begin(op, ""); err != nil {
		return err
	}
	defer n.end()
	if err := n.guardSelf(c, op); err != nil {
		return fail(op, n.name, err)
	}
	return fail(op, n.name, c.act(call))
}
