// Package auth says who may log in and who is calling.
//
// The protocols find a user's Record through Users, check the password with
// it, and act for the Identity that Users makes of it.
package auth

import (
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strconv"
	"strings"
)

// Identity is a user who has logged in, or a guest.
type Identity struct {
	User, Domain string // as the record of the user spells them; User is "" for a guest
	Guest        bool
	HasID        bool // UID, GID and Groups are an account of this machine
	UID, GID     uint32
	Groups       []uint32 // further groups, ascending
	GroupNames   []string // names of GID and Groups, for the policies of shares
}

// identify finds the account of this machine that a user acts as: the one the
// record names, which must exist, or the one with the user's own name.
//
// A user who is called root by chance does not act as the superuser; a record
// has to say so.
func identify(r Record) (*Identity, error) {
	id := &Identity{User: r.Name}
	account, err := lookupAccount(r)
	if err != nil || account == nil {
		return id, err
	}
	uid, gid, groups, err := accountIDs(account)
	if err != nil {
		return nil, fmt.Errorf("account %s of user %s: %w", account.Username, r.Name, err)
	}
	if uid == 0 && r.UnixUser == "" {
		return id, nil
	}
	id.HasID, id.UID, id.GID, id.Groups = true, uid, gid, groups
	for _, g := range append([]uint32{gid}, groups...) {
		// A number without a name is in nobody's policy.
		if name, ok := (Machine{}).GroupName(g); ok {
			id.GroupNames = append(id.GroupNames, name)
		}
	}
	return id, nil
}

// Account is the identity of an account of this machine, without a user. The
// superuser is one as any other.
func Account(name string) (*Identity, error) {
	account, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	id := &Identity{HasID: true}
	if id.UID, id.GID, id.Groups, err = accountIDs(account); err != nil {
		return nil, fmt.Errorf("account %s: %w", name, err)
	}
	return id, nil
}

// lookupAccount returns nil if the machine has no account for the user and the
// record does not ask for one. Accounts are lower case by custom.
func lookupAccount(r Record) (*user.User, error) {
	if r.UnixUser != "" {
		account, err := user.Lookup(r.UnixUser)
		if err != nil {
			return nil, fmt.Errorf("user %s acts as the account %s of this machine: %w", r.Name, r.UnixUser, err)
		}
		return account, nil
	}
	for _, name := range []string{r.Name, strings.ToLower(r.Name)} {
		account, err := user.Lookup(name)
		if err == nil {
			return account, nil
		}
		if _, unknown := errors.AsType[user.UnknownUserError](err); !unknown {
			return nil, fmt.Errorf("account of user %s: %w", r.Name, err)
		}
	}
	return nil, nil
}

// accountIDs returns an account's numbers, with all groups but the primary.
func accountIDs(account *user.User) (uid, gid uint32, groups []uint32, err error) {
	if uid, err = parseID(account.Uid); err != nil {
		return
	}
	if gid, err = parseID(account.Gid); err != nil {
		return
	}
	names, err := account.GroupIds()
	if err != nil {
		return
	}
	for _, s := range names {
		var g uint32
		if g, err = parseID(s); err != nil {
			return
		}
		if g != gid {
			groups = append(groups, g)
		}
	}
	slices.Sort(groups)
	return uid, gid, slices.Compact(groups), nil
}

func parseID(s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	return uint32(n), err
}
