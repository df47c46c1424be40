package disk

import (
	"strings"

	"golang.org/x/sys/unix"
)

// walk opens path below the folder root component by component, for systems
// that can't be told to stay beneath a folder in one call. No symbolic link is
// ever followed by the system, and ".." is not opened but returns to the
// descriptor the walk came from; so neither a link nor a folder that is moved
// away meanwhile leads out.
type walk struct {
	root  int
	stack []int    // descriptors of the folders below root that path has led into
	todo  []string // components not yet walked
	links int      // symbolic links followed
	flags Flags
	enter func(dir int) error // asked before a name is looked up in dir; may be nil
}

const maxLinks = 40 // as Linux

// walkOpen opens path by a walk. open opens the last component in dir and
// follows no link.
func walkOpen(root int, path string, flags Flags, enter func(int) error, open func(dir int, name string) (int, error)) (int, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return -1, unix.EINVAL
	}
	w := walk{root: root, flags: flags, enter: enter}
	defer w.close()
	if err := w.push(path); err != nil {
		return -1, err
	}
	for {
		name, last, err := w.next()
		if err != nil {
			return -1, err
		}
		if w.enter != nil {
			if err := w.enter(w.dir()); err != nil {
				return -1, err
			}
		}
		if name != "." {
			followed, err := w.follow(name, last)
			if err != nil {
				return -1, err
			}
			if followed {
				continue
			}
		}
		if last {
			return open(w.dir(), name)
		}
		if err := w.descend(name); err != nil {
			return -1, err
		}
	}
}

// push puts the components of path before those still to be walked.
func (w *walk) push(path string) error {
	if strings.HasPrefix(path, "/") {
		return unix.EXDEV
	}
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	w.todo = append(parts, w.todo...)
	return nil
}

// next takes the next component that is a name, "." if none is left.
func (w *walk) next() (name string, last bool, err error) {
	for len(w.todo) > 0 {
		name, w.todo = w.todo[0], w.todo[1:]
		if name != ".." {
			return name, len(w.todo) == 0, nil
		}
		if len(w.stack) == 0 {
			return "", false, unix.EXDEV
		}
		unix.Close(w.dir())
		w.stack = w.stack[:len(w.stack)-1]
	}
	return ".", true, nil
}

// follow replaces name by what it stands for if it is a symbolic link that is
// to be followed.
func (w *walk) follow(name string, last bool) (bool, error) {
	keep := last && (w.flags.Has(NoFollow) || w.flags.Has(Create|Exclusive))
	if keep && !w.flags.Has(NoSymlinks) {
		return false, nil
	}
	target, err := readlinkat(w.dir(), name)
	switch {
	case err == unix.EINVAL, err == unix.ENOENT && last: // no link; nothing, perhaps to be created
		return false, nil
	case err != nil:
		return false, err
	case keep:
		return false, nil
	case w.flags.Has(NoSymlinks):
		return false, unix.ELOOP
	}
	if w.links++; w.links > maxLinks {
		return false, unix.ELOOP
	}
	return true, w.push(target)
}

func (w *walk) descend(name string) error {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Openat(w.dir(), name, walkFlags|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return err
	}
	w.stack = append(w.stack, fd)
	return nil
}

// dir is the folder that the walk has come to.
func (w *walk) dir() int {
	if len(w.stack) == 0 {
		return w.root
	}
	return w.stack[len(w.stack)-1]
}

func (w *walk) close() {
	for _, fd := range w.stack {
		unix.Close(fd)
	}
}
