package disk

import "golang.org/x/sys/unix"

func unlinkat(dir int, name string, flags int) error { return unix.Unlinkat(dir, name, flags) }

func renameat(dir int, name string, toDir int, toName string, noReplace bool) error {
	if noReplace {
		return unix.RenameatxNp(dir, name, toDir, toName, unix.RENAME_EXCL)
	}
	return unix.Renameat(dir, name, toDir, toName)
}

// LinkNode makes newName in dir a further name of the open file n. The system
// has no call for that: it is KindUnsupported.
func (n *Node) LinkNode(*Cred, *Node, string) error {
	return fail(OpLink, n.name, unix.EOPNOTSUPP)
}
