package disk

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

const statMask = unix.STATX_BASIC_STATS | unix.STATX_BTIME

func fstat(fd int) (Stat, error) {
	var x unix.Statx_t
	if err := statx(fd, "", unix.AT_EMPTY_PATH, statMask, &x); err != nil {
		return Stat{}, err
	}
	return statOf(&x), nil
}

func fstatat(dir int, name string) (Stat, error) {
	var x unix.Statx_t
	if err := statx(dir, name, unix.AT_SYMLINK_NOFOLLOW, statMask, &x); err != nil {
		return Stat{}, err
	}
	return statOf(&x), nil
}

func changeTime(fd int) (time.Time, error) {
	var x unix.Statx_t
	err := statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_CTIME, &x)
	return timeOf(x.Ctime), err
}

func statOf(x *unix.Statx_t) Stat {
	s := Stat{
		Type:      typeOf(uint32(x.Mode)),
		Mode:      uint32(x.Mode) & 0o7777,
		UID:       x.Uid,
		GID:       x.Gid,
		Links:     x.Nlink,
		Size:      int64(x.Size),
		Allocated: int64(x.Blocks) * 512,
		Ino:       x.Ino,
		Dev:       uint64(x.Dev_major)<<32 | uint64(x.Dev_minor),
		Modified:  timeOf(x.Mtime),
		Changed:   timeOf(x.Ctime),
		Accessed:  timeOf(x.Atime),
	}
	if x.Mask&unix.STATX_BTIME != 0 {
		s.Birth = timeOf(x.Btime)
	}
	return s
}

func timeOf(t unix.StatxTimestamp) time.Time { return time.Unix(t.Sec, int64(t.Nsec)) }

func typeOf(mode uint32) vfs.Type {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return vfs.TypeFile
	case unix.S_IFDIR:
		return vfs.TypeDir
	case unix.S_IFLNK:
		return vfs.TypeSymlink
	}
	return vfs.TypeOther
}
