package disk

import (
	"strings"

	"golang.org/x/sys/unix"
)

func tooSmall(err error) error {
	if err == unix.ERANGE {
		return unix.E2BIG
	}
	return err
}

func listxattr(fd int, buf []byte) (int, error) { return unix.Flistxattr(fd, buf) }

// splitNames reads names that end with NUL.
func splitNames(b []byte) []string {
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == 0 })
}
