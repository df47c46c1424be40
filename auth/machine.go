package auth

import (
	"os/user"
	"strconv"
)

// Machine knows the accounts of this machine by number and by name. Its methods
// may be called by several goroutines at once.
type Machine struct {
	// Users are known by their own names, too, as the accounts they act as.
	// Nil: there are none.
	Users Users
}

// UserName returns the name of a user.
func (Machine) UserName(uid uint32) (name string, ok bool) {
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return "", false
	}
	return u.Username, true
}

// GroupName returns the name of a group.
func (Machine) GroupName(gid uint32) (name string, ok bool) {
	g, err := user.LookupGroupId(strconv.FormatUint(uint64(gid), 10))
	if err != nil {
		return "", false
	}
	return g.Name, true
}

// UserID returns the number of a user.
func (m Machine) UserID(name string) (uid uint32, ok bool) {
	if m.Users != nil {
		if r, err := m.Users.Lookup(name); err == nil {
			if id, err := m.Users.Identity(r); err == nil && id.HasID {
				return id.UID, true
			}
		}
	}
	u, err := user.Lookup(name)
	if err != nil {
		return 0, false
	}
	uid, err = parseID(u.Uid)
	return uid, err == nil
}

// GroupID returns the number of a group.
func (Machine) GroupID(name string) (gid uint32, ok bool) {
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, false
	}
	gid, err = parseID(g.Gid)
	return gid, err == nil
}
