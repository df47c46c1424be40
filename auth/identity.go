// Package auth says who is calling.
package auth

// Identity is a user who has logged in, or a guest.
type Identity struct {
	User, Domain string // as the record of the user spells them; User is "" for a guest
	Guest        bool
	HasID        bool // UID, GID and Groups are an account of this machine
	UID, GID     uint32
	Groups       []uint32 // further groups, ascending
	GroupNames   []string // names of GID and Groups, for the policies of shares
}
