package share

import (
	"errors"
	"net/netip"
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
	from    netip.Addr // where the caller is
	max     vfs.Access
	expires bool // it is Expire's
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
func (s *Share) Admits(id *auth.Identity, from netip.Addr) bool {
	_, err := s.o.Load().admits(id, from)
	return err == nil
}

// Attach connects id, who comes from an address, to the share until Release.
// Errors: KindAccess, with the reason as its cause, when the share is not for
// it, KindPathNotExist after End.
func (s *Share) Attach(id *auth.Identity, from netip.Addr) (*Tree, error) {
	o := s.o.Load()
	change, err := o.admits(id, from)
	if err != nil {
		return nil, vfs.NewError("attach", o.Name, vfs.KindAccess, err)
	}
	account := id
	if o.Account != nil {
		account = o.Account
	}
	t := &Tree{
		share:   s,
		options: o,
		from:    from,
		caller: &vfs.Caller{
			User: id.User, Guest: id.Guest,
			HasID: account.HasID, UID: account.UID, GID: account.GID, Groups: account.Groups,
		},
		max: vfs.AllAccess,
	}
	if !change || o.ReadOnly || s.fs.Features().ReadOnly {
		t.max &^= vfs.Changing
	}
	if err := t.begin(); err != nil {
		return nil, err
	}
	return t, nil
}

// begin begins the use of t, unless its share has ended.
func (t *Tree) begin() error {
	s := t.share
	s.attaching.Lock()
	defer s.attaching.Unlock()
	if s.ended {
		return vfs.NewError("attach", t.options.Name, vfs.KindPathNotExist, nil)
	}
	s.attached.Add(1)
	t.uses.Store(1)
	return nil
}

// Why a share is not for somebody.
var (
	errGuest = errors.New("guests may not use the share")
	errUser  = errors.New("the user may not use the share")
	errHost  = errors.New("the share may not be used from that address")
)

// admits returns why id may not use the share, nil if it may, and whether it may
// change something in it.
func (o *Options) admits(id *auth.Identity, from netip.Addr) (change bool, err error) {
	switch {
	case !o.Hosts.Admits(from):
		return false, errHost
	case o.Only != "" && (id.Guest || !auth.SameName(o.Only, id.User)):
		return false, errUser
	case id.Guest && o.Guest == GuestNone:
		return false, errGuest
	case id.Guest:
		return o.Guest >= GuestWrite, nil
	case names(o.ReadOnlyUsers, id.User):
		return false, nil
	case len(o.Users) == 0 && len(o.Groups) == 0, names(o.Users, id.User):
		return true, nil
	}
	isIn := func(group string) bool { return names(o.Groups, group) }
	if !slices.ContainsFunc(id.GroupNames, isIn) {
		return false, errUser
	}
	return true, nil
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
