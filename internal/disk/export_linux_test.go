package disk

// WalkOpen is Open as it is on a kernel without openat2.
func (n *Node) WalkOpen(_ *Cred, path string, how How) (*Node, error) {
	fd, err := n.walkOpen(path, how)
	if err != nil {
		return nil, failOpen(path, err)
	}
	return n.child(fd, path, how.Flags, nil), nil
}
