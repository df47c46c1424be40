//go:build freebsd || darwin

package disk

import "golang.org/x/sys/unix"

// foldings are the answers of the kinds of file systems.
var foldings = map[string]Folding{
	"apfs": FoldsSome, "hfs": FoldsSome, // composition, if not case
	"zfs":   FoldsSome, // or not: it tells nobody how a dataset was made
	"msdos": FoldsSome, "msdosfs": FoldsSome, "exfat": FoldsSome,
	"ufs": FoldsNot, "tmpfs": FoldsNot,
}

func folds(fd int) Folding {
	var s unix.Statfs_t
	if unix.Fstatfs(fd, &s) != nil {
		return FoldsUntold
	}
	return foldings[unix.ByteSliceToString(s.Fstypename[:])]
}
