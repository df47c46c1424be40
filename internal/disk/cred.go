package disk

import (
	"slices"

	"golang.org/x/sys/unix"
)

// Cred is an account to act as. A nil *Cred is the process itself.
type Cred struct {
	UID, GID uint32
	Groups   []uint32 // further groups
}

// Self returns the account of the process.
func Self() *Cred {
	c := &Cred{UID: uint32(unix.Geteuid()), GID: uint32(unix.Getegid())}
	groups, _ := unix.Getgroups()
	for _, g := range groups {
		c.Groups = append(c.Groups, uint32(g))
	}
	return c
}

// Has reports whether c is in the group gid.
func (c *Cred) Has(gid uint32) bool { return c.GID == gid || slices.Contains(c.Groups, gid) }
