package disk

import "golang.org/x/sys/unix"

// Call describes a call that is about to be made, or was.
type Call struct {
	Op     Op
	Path   string // from the root
	Offset int64  // OpRead, OpWrite; the size for OpTruncate, to a Witness
	Len    int    // bytes left to move, OpRead and OpWrite

	// Only a Witness is told these.
	To    string // the new path, OpRename and OpLink
	Flags Flags  // OpOpen
	Data  []byte // what was written; the caller's, and to be copied
}

// Faults is asked before each call on a root opened with it. Tests use it to
// see how the floors above behave when a disk is full or broken.
type Faults interface {
	// Before returns the errno the call shall fail with, 0 to let it happen,
	// and how many bytes it may move at most; a limit below 1 is none.
	Before(Call) (limit int, errno unix.Errno)
}

// Witness is a Faults that also hears of what was done, so that it can tell what
// a disk would hold after a power cut.
type Witness interface {
	Faults
	// Done is told of each open, write, truncation, sync, and change of a
	// folder's entries that went well, before the call returns.
	Done(Call)
}

// tell tells the witness, if there is one, of a call that returned err. The path
// of c is from n.
func (n *Node) tell(err error, c Call) error {
	if n.faults == nil || err != nil {
		return err
	}
	if w, ok := n.faults.(Witness); ok {
		c.Path = join(n.name, c.Path)
		w.Done(c)
	}
	return nil
}

// ask consults the faults, if there are any, about a call on name below n.
func (n *Node) ask(op Op, name string) error {
	if n.faults == nil {
		return nil
	}
	if _, errno := n.faults.Before(Call{Op: op, Path: join(n.name, name)}); errno != 0 {
		return fail(op, name, errno)
	}
	return nil
}

// askData is ask for moving data; it returns how much of length may be moved.
func (n *Node) askData(op Op, off int64, length int) (int, error) {
	if n.faults == nil {
		return length, nil
	}
	limit, errno := n.faults.Before(Call{Op: op, Path: n.name, Offset: off, Len: length})
	if errno != 0 {
		return 0, errno
	}
	if limit > 0 && limit < length {
		return limit, nil
	}
	return length, nil
}

func join(dir, name string) string {
	if dir == "" || name == "" {
		return dir + name
	}
	return dir + "/" + name
}
