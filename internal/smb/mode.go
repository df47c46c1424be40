package smb

import (
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// What the bits of a mode give. A right to delete is not among them: the folder
// that holds a file gives it.
const (
	modeAlways = vfs.ReadAttr | vfs.ReadXattr | vfs.ReadControl | vfs.Synchronize // to everyone
	modeOwner  = vfs.WriteAttr | vfs.WriteControl | vfs.WriteOwner                // to the owner
	modeRead   = vfs.ReadData
	modeWrite  = vfs.WriteData | vfs.AppendData | vfs.WriteXattr | vfs.WriteAttr
	modeExec   = vfs.Execute
)

// modeRights returns the rights that one digit of a mode gives.
func modeRights(digit uint32, dir bool) vfs.Access {
	rights := modeAlways
	if digit&4 != 0 {
		rights |= modeRead
	}
	if digit&2 != 0 {
		rights |= modeWrite
		if dir {
			rights |= vfs.DeleteChild
		}
	}
	if digit&1 != 0 {
		rights |= modeExec
	}
	return rights
}

// modeDACL writes a mode as a list of entries.
//
// In a mode just one digit holds for a caller; in a list all entries that name
// the caller add up. So what a later entry gives, and an earlier digit does
// not, is denied before it.
func modeDACL(mode uint32, dir bool, owner, group smbwire.SID) *smbwire.ACL {
	u := modeRights(mode>>6&7, dir) | modeOwner
	g := modeRights(mode>>3&7, dir)
	o := modeRights(mode&7, dir)
	acl := &smbwire.ACL{Revision: 2}
	add := func(t smbwire.ACEType, sid smbwire.SID, rights vfs.Access) {
		if rights != 0 {
			acl.Entries = append(acl.Entries, smbwire.ACE{Type: t, Mask: smbwire.AccessMask(rights), SID: sid})
		}
	}
	add(smbwire.ACEDeny, owner, (g|o)&^u)
	add(smbwire.ACEAllow, owner, u)
	add(smbwire.ACEDeny, group, o&^g)
	add(smbwire.ACEAllow, group, g)
	add(smbwire.ACEAllow, everyone, o)
	return acl
}

// modeDecides are the rights that a mode gives or withholds as such. Others
// come with them, with being the owner, or with the folder, so that a list may
// give more of those than a mode can.
const modeDecides = modeRead | vfs.WriteData | vfs.AppendData | modeExec

// daclMode returns the permission bits that do what a list does: nobody gets a
// right from them that the list does not give, nor loses one that modes decide
// about. A nil list lets everyone do everything. ok is false when there are no
// such bits: for entries about others than the owner, the group and everyone,
// for rights that do not come one without the other, and for inheritance,
// unless only the owner can get at what is below. The owner, who may give
// himself any right, is held to what modes decide about.
func daclMode(acl *smbwire.ACL, dir bool, owner, group smbwire.SID) (mode uint32, ok bool) {
	if acl == nil {
		return 0o777, true
	}
	inherited := false
	var u, g, o decision
	for i := range acl.Entries {
		e := &acl.Entries[i]
		if dir && e.Flags&(smbwire.ACEObjectInherit|smbwire.ACEContainerInherit) != 0 {
			inherited = true
		}
		if e.Flags&smbwire.ACEInheritOnly != 0 {
			continue // not about the node itself
		}
		allow := e.Type == smbwire.ACEAllow
		if !allow && e.Type != smbwire.ACEDeny {
			return 0, false
		}
		rights := expand(e.Mask)
		switch e.SID {
		case owner:
			u.apply(allow, rights)
		case group:
			g.apply(allow, rights)
			if !allow {
				u.apply(false, rights) // the owner may be of the group
			}
		case everyone:
			u.apply(allow, rights)
			g.apply(allow, rights)
			o.apply(allow, rights)
		case localSystem:
			if !allow {
				return 0, false // root may do everything
			}
		default:
			return 0, false
		}
	}
	for _, d := range []decision{{allowed: u.allowed | ownersAnyway(dir)}, g, o} {
		digit, ok := d.digit(dir)
		if !ok {
			return 0, false
		}
		mode = mode<<3 | digit
	}
	const othersTraverse = 0o011
	if inherited && mode&othersTraverse != 0 {
		return 0, false
	}
	return mode, true
}

// ownersAnyway are the rights that an owner can't be denied for good.
func ownersAnyway(dir bool) vfs.Access { return modeRights(7, dir) &^ modeDecides }

// decision is what the entries of a list, in their order, come to for someone:
// the first that speaks of a right decides about it ([MS-DTYP] 2.5.3.2).
type decision struct{ allowed, denied vfs.Access }

func (d *decision) apply(allow bool, rights vfs.Access) {
	if allow {
		d.allowed |= rights &^ d.denied
	} else {
		d.denied |= rights &^ d.allowed
	}
}

// digit returns the digit of a mode that gives the same rights.
func (d decision) digit(dir bool) (digit uint32, ok bool) {
	if d.allowed&modeRead != 0 {
		digit |= 4
	}
	if d.allowed&(vfs.WriteData|vfs.AppendData) != 0 {
		digit |= 2
	}
	if d.allowed&modeExec != 0 {
		digit |= 1
	}
	return digit, d.allowed.Has(modeRights(digit, dir) &^ modeAlways)
}

// expand replaces the generic rights in a mask ([MS-SMB2] 2.2.13.1.1).
func expand(mask smbwire.AccessMask) vfs.Access {
	rights := vfs.Access(mask) & vfs.AllAccess
	const (
		read    = vfs.ReadData | vfs.ReadXattr | vfs.ReadAttr | vfs.ReadControl | vfs.Synchronize
		write   = vfs.WriteData | vfs.AppendData | vfs.WriteXattr | vfs.WriteAttr | vfs.ReadControl | vfs.Synchronize
		execute = vfs.Execute | vfs.ReadAttr | vfs.ReadControl | vfs.Synchronize
	)
	for _, g := range []struct {
		generic smbwire.AccessMask
		means   vfs.Access
	}{
		{smbwire.GenericAll, vfs.AllAccess},
		{smbwire.GenericRead, read},
		{smbwire.GenericWrite, write},
		{smbwire.GenericExecute, execute},
	} {
		if mask&g.generic != 0 {
			rights |= g.means
		}
	}
	return rights
}
