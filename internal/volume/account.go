package volume

import (
	"hash/maphash"
	"slices"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// account is who acts for a caller. It is the same pointer for the same ids.
type account struct {
	disk.Cred
	cred *disk.Cred // for calls of disk; nil when the process itself acts
}

// isRoot reports whether no permission bit stands in a's way.
func (a *account) isRoot() bool { return a.UID == 0 }

// describeAccounts notes who the folder belongs to and who the process is.
func (v *Volume) describeAccounts(uid, gid uint32) {
	self := disk.Self()
	if self.UID != 0 {
		v.self = &account{Cred: *self}
		v.owner = v.self
		return
	}
	v.owner = newAccount(disk.Cred{UID: uid, GID: gid})
}

// newAccount returns an account that a root process acts for.
func newAccount(c disk.Cred) *account {
	a := &account{Cred: c}
	if c.UID != 0 {
		a.cred = &a.Cred
	}
	return a
}

// maxAccounts bounds how many accounts are remembered.
const maxAccounts = 10_000

type accountKey struct {
	uid, gid uint32
	groups   uint64 // a hash of them
}

var groupSeed = maphash.MakeSeed()

// account returns who acts for c.
func (v *Volume) account(c *vfs.Caller) *account {
	if v.self != nil {
		return v.self
	}
	if c == nil || !c.HasID {
		return v.owner
	}
	key := accountKey{uid: c.UID, gid: c.GID}
	for _, g := range c.Groups {
		key.groups = maphash.Comparable(groupSeed, [2]uint64{key.groups, uint64(g)})
	}
	if a, ok := v.accounts.Load(key); ok && slices.Equal(a.(*account).Groups, c.Groups) {
		return a.(*account)
	}
	a := newAccount(disk.Cred{UID: c.UID, GID: c.GID, Groups: slices.Clone(c.Groups)})
	v.remember(key, a)
	return a
}

func (v *Volume) remember(key accountKey, a *account) {
	n := 0
	v.accounts.Range(func(any, any) bool { n++; return n < maxAccounts })
	if n < maxAccounts {
		v.accounts.Store(key, a)
	}
}
