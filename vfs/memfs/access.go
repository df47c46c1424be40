package memfs

import (
	"slices"

	"github.com/dozo-server/dozo/vfs"
)

// What the bits of a mode mean to files and folders.
const (
	always  = vfs.ReadAttr | vfs.ReadXattr | vfs.ReadControl | vfs.Synchronize
	byOwner = vfs.WriteAttr | vfs.WriteControl | vfs.WriteOwner
	byRead  = vfs.ReadData
	byWrite = vfs.WriteData | vfs.AppendData | vfs.WriteXattr | vfs.WriteAttr | vfs.DeleteChild
	byExec  = vfs.Execute

	// contents are the rights to what a node holds.
	contents = vfs.ReadData | vfs.WriteData | vfs.AppendData | vfs.Execute

	sticky = 0o1000
)

// acting returns the account that c's calls act with.
func (s *FS) acting(c *vfs.Caller) *vfs.Caller {
	if c == nil || !c.HasID {
		return &s.owner
	}
	return c
}

// maxAccess returns all rights that c has to n, found by e.
func (s *FS) maxAccess(c *vfs.Caller, n *node, e *entry) vfs.Access {
	a := s.modeAccess(c, n)
	if n.typ == vfs.TypeSymlink {
		a &^= contents
	}
	if e != nil && s.mayUnlink(c, e) {
		a |= vfs.Delete
	}
	return a
}

// modeAccess returns the rights that n's owner and mode give c.
func (s *FS) modeAccess(c *vfs.Caller, n *node) vfs.Access {
	who := s.acting(c)
	if who.UID == 0 {
		return vfs.AllAccess &^ vfs.Delete
	}
	bits := n.mode
	a := always
	switch {
	case who.UID == n.uid:
		bits >>= 6
		a |= byOwner
	case inGroup(who, n.gid):
		bits >>= 3
	}
	if bits&4 != 0 {
		a |= byRead
		if n.typ == vfs.TypeFile {
			// To Windows' programs all rights are what they ask for first,
			// and an executable is not marked as one.
			a |= byExec
		}
	}
	if bits&2 != 0 {
		a |= byWrite
	}
	if bits&1 != 0 {
		a |= byExec
	}
	return a
}

// mayUnlink reports whether c may take e out of its folder.
func (s *FS) mayUnlink(c *vfs.Caller, e *entry) bool {
	if !s.modeAccess(c, e.parent).Has(vfs.AddFile | vfs.Traverse) {
		return false
	}
	who := s.acting(c)
	return e.parent.mode&sticky == 0 || who.UID == 0 || who.UID == e.parent.uid || who.UID == e.node.uid
}

// mayAdd reports whether c may put a name into d.
func (s *FS) mayAdd(c *vfs.Caller, d *node) bool {
	return s.modeAccess(c, d).Has(vfs.AddFile | vfs.Traverse)
}

func inGroup(who *vfs.Caller, gid uint32) bool {
	return who.GID == gid || slices.Contains(who.Groups, gid)
}
