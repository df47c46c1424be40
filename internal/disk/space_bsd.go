//go:build freebsd || darwin

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
	unit := int64(s.Bsize)
	return Space{
		Block:     unit,
		Total:     int64(s.Blocks) * unit,
		Free:      int64(s.Bfree) * unit,
		Available: max(int64(s.Bavail), 0) * unit, // FreeBSD: below zero when root uses its reserve
		Files:     int64(s.Files),
		FilesFree: max(int64(s.Ffree), 0),
		NameMax:   nameMax(&s),
		ReadOnly:  s.Flags&unix.MNT_RDONLY != 0,
	}, nil
}

// FileSystem identifies the file system that n is on. On ZFS the fsid is made
// of the dataset's guid; of others the source of the mount is all there is.
func (n *Node) FileSystem() (FileSystem, error) {
	if err := n.begin(OpSpace, ""); err != nil {
		return FileSystem{}, err
	}
	defer n.end()
	var s unix.Statfs_t
	if err := unix.Fstatfs(n.fd, &s); err != nil {
		return FileSystem{}, fail(OpSpace, n.name, err)
	}
	kind, source := unix.ByteSliceToString(s.Fstypename[:]), unix.ByteSliceToString(s.Mntfromname[:])
	if kind == "zfs" {
		fsid := fsidString(s.Fsid.Val)
		return FileSystem{digest("zfs", fsid), "zfs " + fsid, kind}, nil
	}
	return FileSystem{digest(kind, source), kind + " " + source, kind}, nil
}
