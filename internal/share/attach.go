package share

import (
	"slices"
	"strings"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs"
)

// Tree is a share as one caller sees it.
type Tree struct {
	share  *Share
	caller *vfs.Caller
	max    vfs.Access
}

// Share returns the share the tree belongs to.
func (t *Tree) Share() *Share { return t.share }

// Caller returns whom the tree's calls are made for.
func (t *Tree) Caller() *vfs.Caller { return t.caller }

// ReadOnly reports whether the caller can change nothing in the share.
func (t *Tree) ReadOnly() bool { return t.max&vfs.Changing == 0 }

// MaxAccess returns the rights that no open of this tree exceeds.
func (t *Tree) MaxAccess() vfs.Access { return t.max }

// Attach connects id to the share. Error: KindAccess when the share is not for
// it.
func (s *Share) Attach(id *auth.Identity) (*Tree, error) {
	may, change := s.o.admits(id)
	if !may {
		return nil, vfs.NewError("attach", s.o.Name, vfs.KindAccess, nil)
	}
	t := &Tree{
		share: s,
		caller: &vfs.Caller{
			User: id.User, Guest: id.Guest,
			HasID: id.HasID, UID: id.UID, GID: id.GID, Groups: id.Groups,
		},
		max: vfs.AllAccess,
	}
	if !change || s.o.ReadOnly || s.fs.Features().ReadOnly {
		t.max &^= vfs.Changing
	}
	return t, nil
}

// admits reports whether id may use the share, and change something in it.
func (o *Options) admits(id *auth.Identity) (may, change bool) {
	switch {
	case id.Guest:
		return o.Guest >= GuestRead, o.Guest >= GuestWrite
	case names(o.ReadOnlyUsers, id.User):
		return true, false
	case len(o.Users) == 0 && len(o.Groups) == 0, names(o.Users, id.User):
		return true, true
	}
	isIn := func(group string) bool { return names(o.Groups, group) }
	may = slices.ContainsFunc(id.GroupNames, isIn)
	return may, may
}

// names reports whether name is in list, in any case.
func names(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

// refuse returns the error for a change that the tree does not allow.
func (t *Tree) refuse(op, path string) error {
	if t.share.o.ReadOnly {
		return vfs.NewError(op, path, vfs.KindReadOnly, nil)
	}
	return vfs.NewError(op, path, vfs.KindAccess, nil)
}
