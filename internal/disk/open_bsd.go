//go:build freebsd || darwin

package disk

import "golang.org/x/sys/unix"

// common returns the flags of openat that the systems agree on.
func (how How) common() (flags int) {
	f := how.Flags
	if f.Has(PathOnly) {
		f &^= Read | Write | Create | Exclusive | Truncate
	}
	switch {
	case f.Has(Read | Write):
		flags |= unix.O_RDWR
	case f.Has(Write):
		flags |= unix.O_WRONLY
	}
	for _, t := range [...]struct {
		flag Flags
		open int
	}{
		{Create, unix.O_CREAT},
		{Exclusive, unix.O_EXCL},
		{Truncate, unix.O_TRUNC},
		{Directory, unix.O_DIRECTORY},
		{NoFollow, unix.O_NOFOLLOW},
	} {
		if f.Has(t.flag) {
			flags |= t.open
		}
	}
	return flags
}
