//go:build freebsd || darwin

package disk

import "golang.org/x/sys/unix"

func (n *Node) getxattr(name string, buf []byte) (size int, err error) {
	err = n.reopen(func(fd int) (err error) {
		size, err = unix.Fgetxattr(fd, name, buf)
		return err
	})
	return size, err
}

func (n *Node) getxattrat(name, attr string, buf []byte) (int, error) {
	fd, err := openat(n.fd, name, How{Flags: Read | NoFollow})
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	return unix.Fgetxattr(fd, attr, buf)
}

func (n *Node) setxattr(name string, value []byte) error {
	return n.reopen(func(fd int) error { return unix.Fsetxattr(fd, name, value, 0) })
}

func (n *Node) removexattr(name string) error {
	return n.reopen(func(fd int) error { return unix.Fremovexattr(fd, name) })
}

func (n *Node) listxattr() (names []string, err error) {
	err = n.reopen(func(fd int) error {
		buf := make([]byte, 64<<10)
		k, err := listxattr(fd, buf)
		if err == nil {
			names = splitNames(buf[:k])
		}
		return err
	})
	return names, err
}
