package share

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs"
)

// Tree is a share as one caller sees it. It is in use from Attach on until it
// was released once more than Use was called. Each Open is a use, too.
type Tree struct {
	share   *Share
	options *Options // of the share when it was attached
	caller  *vfs.Caller
	max     vfs.Access
	uses    atomic.Int64
}

// Share returns the share the tree belongs to.
func (t *Tree) Share() *Share { return t.share }

// Caller returns whom the tree's calls are made for.
func (t *Tree) Caller() *vfs.Caller { return t.caller }

// ReadOnly reports whether the caller can change nothing in the share.
func (t *Tree) ReadOnly() bool { return t.max&vfs.Changing == 0 }

// MaxAccess returns the rights that no open of this tree exceeds.
func (t *Tree) MaxAccess() vfs.Access { return t.max }

// Use keeps the tree in use until Release. It is in use already.
func (t *Tree) Use() { t.uses.Add(1) }

// Release ends what Attach or Use began. The tree is not used after the last.
func (t *Tree) Release() {
	if t.uses.Add(-1) == 0 {
		t.share.attached.Done()
	}
}

// Stale reports whether the share's options were replaced since Attach.
func (t *Tree) Stale() bool { return t.share.o.Load() != t.options }

// Admits reports whether Attach would let id in.
func (s *Share) Admits(id *auth.Identity) bool {
	may, _ := s.o.Load().admits(id)
	return may
}

// Attach connects id to the share until Release. Errors: KindAccess when the
// share is not for it, KindPathNotExist after End.
func (s *Share) Attach(id *auth.Identity) (*Tree, error) {
	o := s.o.Load()
	may, change := o.admits(id)
	if !may {
		return nil, vfs.NewError("attach", o.Name, vfs.KindAccess, nil)
	}
	s.attaching.Lock()
	defer s.attaching.Unlock()
	if s.ended {
		return nil, vfs.NewError("attach", o.Name, vfs.KindPathNotExist, nil)
	}
	s.attached.Add(1)
	t := &Tree{
		share:   s,
		options: o,
		caller: &vfs.Caller{
			User: id.User, Guest: id.Guest,
			HasID: id.HasID, UID: id.UID, GID: id.GID, Groups: id.Groups,
		},
		max: vfs.AllAccess,
	}
	t.uses.Store(1)
	if !change || o.ReadOnly || s.fs.Features().ReadOnly {
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
	if t.options.ReadOnly {
		return vfs.NewError(op, path, vfs.KindReadOnly, nil)
	}
	return vfs.NewError(op, path, vfs.KindAccess, nil)
}
