package disk

import "golang.org/x/sys/unix"

// guards is set where the process is root but can't act as another account,
// because the system knows ids of the process only (FreeBSD, macOS). There this
// file decides, by the permission bits, what the system decides elsewhere.
// Access control lists are not looked at.
var guards = !CanAct() && unix.Geteuid() == 0

// guarded reports whether what c does is decided here.
func (c *Cred) guarded() bool { return guards && c != nil && c.UID != 0 }

// permits reports whether c may use what has the attributes st in all ways of
// r. The first class that c is in decides, as POSIX has it.
func (c *Cred) permits(st *Stat, r Rights) bool {
	bits := st.Mode
	switch {
	case c.UID == st.UID:
		bits >>= 6
	case c.Has(st.GID):
		bits >>= 3
	}
	return Rights(bits)&r == r
}

// guardEntry decides about a call of c on the entry name of the folder n.
func (n *Node) guardEntry(c *Cred, op Op, name string) error {
	if !c.guarded() {
		return nil
	}
	need := MayExecute
	switch op {
	case OpMkdir, OpSymlink, OpLink, OpRemove, OpRename:
		need |= MayWrite
	}
	st, err := fstat(n.fd)
	if err != nil {
		return err
	}
	if !c.permits(&st, need) {
		return unix.EACCES
	}
	if op != OpRemove && op != OpRename || st.Mode&unix.S_ISVTX == 0 || st.UID == c.UID {
		return nil
	}
	// In a sticky folder an entry is taken away by its owner only.
	entry, err := fstatat(n.fd, name)
	if err == unix.ENOENT {
		return nil // the call will say so, or there is nothing to replace
	}
	if err == nil && entry.UID != c.UID {
		err = unix.EPERM
	}
	return err
}

// guardSelf decides about a call of c on n itself.
func (n *Node) guardSelf(c *Cred, op Op) error {
	if !c.guarded() {
		return nil
	}
	st, err := fstat(n.fd)
	if err != nil {
		return err
	}
	switch op {
	case OpSetXattr, OpDelXattr:
		if !c.permits(&st, MayWrite) {
			return unix.EACCES
		}
	case OpChmod, OpChown, OpSetTimes:
		if c.UID != st.UID {
			return unix.EPERM
		}
	}
	return nil
}

// guardChown decides about giving n, which is c's own, to others.
func (n *Node) guardChown(c *Cred, uid, gid int) error {
	if c.guarded() && (uid >= 0 && uint32(uid) != c.UID || gid >= 0 && !c.Has(uint32(gid))) {
		return unix.EPERM
	}
	return nil
}

// give makes an entry that c made theirs.
func (n *Node) give(c *Cred, name string) error {
	if !c.guarded() {
		return nil
	}
	return unix.Fchownat(n.fd, name, int(c.UID), -1, unix.AT_SYMLINK_NOFOLLOW)
}

// openGuarded is Open by walking: c must be let through each folder, into the
// last one to create, and to what was opened.
func (n *Node) openGuarded(c *Cred, path string, how How) (int, error) {
	enter := func(dir int) error {
		st, err := fstat(dir)
		if err == nil && !c.permits(&st, MayExecute) {
			err = unix.EACCES
		}
		return err
	}
	return walkOpen(n.fd, path, how.Flags, enter, func(dir int, name string) (int, error) {
		fd, made, err := createGuarded(c, dir, name, how)
		if made || err != nil {
			return fd, err
		}
		return openExisting(c, dir, name, how)
	})
}

// createGuarded makes a file of c if how asks for it and there is none.
func createGuarded(c *Cred, dir int, name string, how How) (fd int, made bool, err error) {
	if !how.Flags.Has(Create) {
		return -1, false, nil
	}
	st, err := fstat(dir)
	if err != nil {
		return -1, false, err
	}
	if !c.permits(&st, MayWrite) {
		if _, err := fstatat(dir, name); err == nil && !how.Flags.Has(Exclusive) {
			return -1, false, nil
		}
		return -1, false, unix.EACCES
	}
	mayExist := !how.Flags.Has(Exclusive)
	how.Flags |= Exclusive
	fd, err = openat(dir, name, how)
	if err == unix.EEXIST && mayExist {
		return -1, false, nil
	}
	if err != nil {
		return -1, false, err
	}
	if err := unix.Fchown(fd, int(c.UID), -1); err != nil {
		unix.Close(fd)
		return -1, false, err
	}
	return fd, true, nil
}

// openExisting opens what is there as root and lets it go again if c may not
// have it; nothing was done to it by then.
func openExisting(c *Cred, dir int, name string, how How) (int, error) {
	truncate := how.Flags.Has(Truncate)
	how.Flags &^= Truncate | Create | Exclusive
	fd, err := openat(dir, name, how)
	if err != nil || how.Flags.Has(PathOnly) {
		return fd, err
	}
	var need Rights
	if how.Flags.Has(Write) {
		need |= MayWrite
	}
	if how.Flags.Has(Read) || need == 0 {
		need |= MayRead
	}
	st, err := fstat(fd)
	if err == nil && !c.permits(&st, need) {
		err = unix.EACCES
	}
	if err == nil && truncate {
		err = unix.Ftruncate(fd, 0)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
