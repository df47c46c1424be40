package rpc

import "strings"

// The relative ids of the machine's users and groups: even and odd from here
// on, so that no two share one and none is one of Windows' own.
const (
	userBase  = 1000
	groupBase = 1001
)

// machine returns the SID that those of users and groups begin with.
func (e *Env) machine() sid {
	return newSID(authorityNT, 21, e.Machine[0], e.Machine[1], e.Machine[2])
}

// relativeID is that of the user or group with a number. Numbers above the
// half of what there are have none.
func relativeID(id uint32, base uint32) (rid uint32, ok bool) {
	return id*2 + base, id < 1<<31-base
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
	domain, rid := s.split()
	if domain != e.machine() || rid < userBase || e.Accounts == nil {
		return account{}, false
	}
	find, use := e.Accounts.UserName, useUser
	if rid%2 == groupBase%2 {
		find, use = e.Accounts.GroupName, useGroup
	}
	name, ok := find((rid - userBase) / 2)
	return account{s, use, e.Name, name}, ok
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
	if !in(e.Name) || name == "" || e.Accounts == nil {
		return account{}, false
	}
	if uid, ok := e.Accounts.UserID(name); ok {
		if rid, ok := relativeID(uid, userBase); ok {
			return account{e.machine().with(rid), useUser, e.Name, name}, true
		}
	}
	if gid, ok := e.Accounts.GroupID(name); ok {
		if rid, ok := relativeID(gid, groupBase); ok {
			return account{e.machine().with(rid), useGroup, e.Name, name}, true
		}
	}
	return account{}, false
}
