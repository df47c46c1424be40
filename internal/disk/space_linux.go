package disk

import "golang.org/x/sys/unix"

// Space returns the room of the file system that n is on.
func (n *Node) Space() (Space, error) {
	if err := n.begin(OpSpace, ""); err != nil {
		return Space{}, err
	}
	defer n.end()
	var s unix.Statfs_t
	if err := unix.Fstatfs(n.fd, &s); err != nil {
		return Space{}, fail(OpSpace, n.name, err)
	}
	unit := int64(s.Frsize)
	if unit == 0 {
		unit = int64(s.Bsize)
	}
	return Space{
		Block:     unit,
		Total:     int64(s.Blocks) * unit,
		Free:      int64(s.Bfree) * unit,
		Available: int64(s.Bavail) * unit,
		Files:     int64(s.Files),
		FilesFree: int64(s.Ffree),
		NameMax:   int(s.Namelen),
		ReadOnly:  s.Flags&unix.ST_RDONLY != 0,
	}, nil
}
