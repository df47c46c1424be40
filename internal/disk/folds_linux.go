package disk

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// folds goes by the kind of the file system where that decides, and else asks
// it. Over a network, through FUSE or in an overlay only trying tells.
func folds(fd int) Folding {
	var s unix.Statfs_t
	if unix.Fstatfs(fd, &s) != nil {
		return FoldsUntold
	}
	switch uint32(s.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return foldsByFlag(fd)
	case unix.XFS_SUPER_MAGIC:
		return foldsByGeometry(fd)
	case unix.BTRFS_SUPER_MAGIC:
		return FoldsNot
	case zfsMagic, unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC:
		return FoldsSome // ZFS tells nobody how a dataset was made
	}
	return FoldsUntold
}

// foldsByFlag looks for the flag that "chattr +F" sets.
func foldsByFlag(fd int) Folding {
	const casefold = 0x40000000 // FS_CASEFOLD_FL
	flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	switch {
	case err == unix.ENOTTY: // it has no flags
		return FoldsNot
	case err != nil:
		return FoldsUntold
	case flags&casefold != 0:
		return FoldsSome
	}
	return FoldsNot
}

// foldsByGeometry asks XFS whether it was made with "-n version=ci".
func foldsByGeometry(fd int) Folding {
	const (
		getGeometry = 0x80705864 // XFS_IOC_FSGEOMETRY_V1: _IOR('X', 100, 112 bytes)
		foldsASCII  = 1 << 12    // XFS_FSOP_GEOM_FLAGS_DIRV2CI
	)
	var g struct {
		_     [92]byte
		flags uint32
		_     [16]byte
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), getGeometry, uintptr(unsafe.Pointer(&g))); errno != 0 {
		return FoldsUntold
	}
	if g.flags&foldsASCII != 0 {
		return FoldsSome
	}
	return FoldsNot
}
