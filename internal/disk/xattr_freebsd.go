package disk

import "golang.org/x/sys/unix"

func tooSmall(err error) error {
	if err == unix.ERANGE {
		return unix.E2BIG
	}
	return err
}

// listxattr lists the attributes of the user's namespace.
func listxattr(fd int, buf []byte) (int, error) {
	return unix.FlistxattrNS(fd, unix.EXTATTR_NAMESPACE_USER, buf)
}

// splitNames reads names that have their length, one byte, before them. They
// are listed without the namespace that Linux, and so every caller, puts first.
func splitNames(b []byte) (names []string) {
	for len(b) > 0 && int(b[0]) < len(b) {
		names = append(names, "user."+string(b[1:1+b[0]]))
		b = b[1+b[0]:]
	}
	return names
}
