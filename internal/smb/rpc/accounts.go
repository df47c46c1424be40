package rpc

import (
	"math"
	"strings"
)

// Users and groups of the machine have SIDs by reckoning: even relative ids
// from 1000 on are users of the machine's own SID, odd ones groups. The few
// numbers that are too large for that have SIDs of the authority for Unix.
const (
	firstRID = 1000
	maxID    = (math.MaxUint32 - firstRID - 1) / 2

	unixUsers  = "Unix User"
	unixGroups = "Unix Group"
)

var (
	unixUserDomain  = newSID(authorityUnix, 1)
	unixGroupDomain = newSID(authorityUnix, 2)
)

// machine returns the SID that those of users and groups begin with.
func (e *Env) machine() sid {
	return newSID(authorityNT, 21, e.Machine[0], e.Machine[1], e.Machine[2])
}

// user returns the account of the user with a number.
func (e *Env) user(uid uint32, name string) account {
	if uid > maxID {
		return account{unixUserDomain.with(uid), useUser, unixUsers, name}
	}
	return account{e.machine().with(firstRID + 2*uid), useUser, e.Name, name}
}

// group returns the account of the group with a number.
func (e *Env) group(gid uint32, name string) account {
	if gid > maxID {
		return account{unixGroupDomain.with(gid), useGroup, unixGroups, name}
	}
	return account{e.machine().with(firstRID + 1 + 2*gid), useGroup, e.Name, name}
}

// bySID finds who a SID stands for.
func (e *Env) bySID(s sid) (account, bool) {
	for _, a := range wellKnown {
		if a.sid == s {
			return a, true
		}
	}
	if s == e.machine() {
		return account{s, useDomain, e.Name, e.Name}, true
	}
	if e.Accounts == nil {
		return account{}, false
	}
	id, group := uint32(0), false
	switch domain, rid := s.split(); {
	case domain == e.machine() && rid >= firstRID:
		id, group = (rid-firstRID)/2, rid%2 != firstRID%2
	case domain == unixUserDomain:
		id = rid
	case domain == unixGroupDomain:
		id, group = rid, true
	default:
		return account{}, false
	}
	if group {
		name, ok := e.Accounts.GroupName(id)
		return e.group(id, name), ok
	}
	name, ok := e.Accounts.UserName(id)
	return e.user(id, name), ok
}

// byName finds an account by a name such as "ann", "FILES\ann", "ann@files" or
// "BUILTIN\Users". A user comes before a group of the same name.
func (e *Env) byName(full string) (account, bool) {
	domain, name, qualified := strings.Cut(full, `\`)
	if !qualified {
		if name, domain, qualified = strings.Cut(full, "@"); !qualified {
			domain = ""
		}
	}
	in := func(d string) bool { return domain == "" || strings.EqualFold(domain, d) }
	for _, a := range wellKnown {
		if in(a.domain) && strings.EqualFold(name, a.name) {
			return a, true
		}
	}
	if strings.EqualFold(full, e.Name) {
		return account{e.machine(), useDomain, e.Name, e.Name}, true
	}
	if !in(e.Name) && !in(unixUsers) && !in(unixGroups) || name == "" || e.Accounts == nil {
		return account{}, false
	}
	if uid, ok := e.Accounts.UserID(name); ok && !strings.EqualFold(domain, unixGroups) {
		return e.user(uid, name), true
	}
	if gid, ok := e.Accounts.GroupID(name); ok && !strings.EqualFold(domain, unixUsers) {
		return e.group(gid, name), true
	}
	return account{}, false
}
