//go:build freebsd || darwin

package disk

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

func fstat(fd int) (Stat, error) {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return Stat{}, err
	}
	return statOf(&s), nil
}

func fstatat(dir int, name string) (Stat, error) {
	var s unix.Stat_t
	if err := unix.Fstatat(dir, name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Stat{}, err
	}
	return statOf(&s), nil
}

func changeTime(fd int) (time.Time, error) {
	st, err := fstat(fd)
	return st.Changed, err
}

func statOf(s *unix.Stat_t) Stat {
	st := Stat{
		Type:      typeOf(uint32(s.Mode)),
		Mode:      uint32(s.Mode) & 0o7777,
		UID:       s.Uid,
		GID:       s.Gid,
		Links:     uint32(s.Nlink),
		Size:      s.Size,
		Allocated: s.Blocks * 512,
		Ino:       s.Ino,
		Dev:       uint64(s.Dev),
		Gen:       uint32(s.Gen),
		Modified:  time.Unix(s.Mtim.Unix()),
		Changed:   time.Unix(s.Ctim.Unix()),
		Accessed:  time.Unix(s.Atim.Unix()),
	}
	if s.Btim.Sec > 0 { // -1 where the file system keeps none
		st.Birth = time.Unix(s.Btim.Unix())
	}
	return st
}

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
