package rpc

import "github.com/dozo-server/dozo/auth"

// samr lets users change their passwords ([MS-SAMR]). Of the accounts it tells
// what lsarpc tells anyway, and changes nothing else.
var samr = iface{
	id: syntax{parts(0x12345778, 0x1234, 0xabcd, [8]byte{0xef, 0x00, 0x01, 0x23, 0x45, 0x67, 0x89, 0xac}), 1},
	methods: map[uint16]method{
		0:  openHandle, // SamrConnect
		1:  closeHandle,
		5:  lookupDomain,
		6:  enumerateDomains,
		7:  openDomain,
		8:  denied, // SamrQueryInformationDomain
		13: denied, // SamrEnumerateUsersInDomain
		17: lookupNamesInDomain,
		34: openUser,
		36: denied, // SamrQueryInformationUser
		37: denied, // SamrSetInformationUser
		38: denied, // SamrChangePasswordUser, which tells hashes only
		40: denied, // SamrQueryDisplayInformation
		44: passwordRules,
		54: denied, // SamrOemChangePasswordUser2, which knows LM hashes only
		55: changePassword,
		56: domainPasswordRules,
		57: openHandle, // SamrConnect2
		62: openHandle, // SamrConnect4
		63: changePasswordOrSayWhy,
		64: connect5,
		73: changePasswordAES,
	},
}

const (
	statusNoSuchUser   = 0xC0000064
	statusNoSuchDomain = 0xC00000DF
	statusAccessDenied = 0xC0000022
)

// connect5 is SamrConnect5 ([MS-SAMR] 3.1.5.1.1).
func connect5(c *call) error {
	const (
		version  = 1
		revision = 3
		knowsAES = 0x10
	)
	c.out.u32(version)
	c.out.u32(version) // the tag of a union
	c.out.u32(revision)
	c.out.u32(knowsAES)
	return openHandle(c)
}

// lookupDomain is SamrLookupDomainInSamServer ([MS-SAMR] 3.1.5.11.1).
func lookupDomain(c *call) error {
	if _, err := c.handle(); err != nil {
		return err
	}
	name := c.countedText()
	if err := c.in.Err(); err != nil {
		return err
	}
	a, ok := c.pipe.env.byName(name)
	ok = ok && a.sid == c.pipe.env.machine()
	c.out.pointer(ok)
	if !ok {
		c.out.u32(statusNoSuchDomain)
		return nil
	}
	a.sid.encode(c.out)
	c.out.u32(statusOK)
	return nil
}

// enumerateDomains is SamrEnumerateDomainsInSamServer ([MS-SAMR] 3.1.5.2.1):
// there is the machine's own.
func enumerateDomains(c *call) error {
	if _, err := c.handle(); err != nil {
		return err
	}
	from := c.in.u32()
	if err := c.in.Err(); err != nil {
		return err
	}
	e := c.out
	count := uint32(1)
	if from > 0 { // the client has it already
		count = 0
	}
	e.u32(1)
	e.pointer(true)
	e.u32(count)
	e.pointer(true)
	e.u32(count)
	if count > 0 {
		name := newCounted(c.pipe.env.Name)
		e.u32(0) // no relative id
		name.head(e)
		name.tail(e)
	}
	e.u32(count)
	e.u32(statusOK)
	return nil
}

// openDomain is SamrOpenDomain ([MS-SAMR] 3.1.5.1.5).
func openDomain(c *call) error {
	if _, err := c.handle(); err != nil {
		return err
	}
	c.in.u32() // the access that the client would like
	var s sid
	s.decode(c.in)
	if err := c.in.Err(); err != nil {
		return err
	}
	if s != c.pipe.env.machine() {
		c.noHandle()
		c.out.u32(statusNoSuchDomain)
		return nil
	}
	return openHandle(c)
}

// lookupNamesInDomain is SamrLookupNamesInDomain ([MS-SAMR] 3.1.5.11.2).
func lookupNamesInDomain(c *call) error {
	if _, err := c.handle(); err != nil {
		return err
	}
	n := c.in.u32()
	c.in.u32() // how many there could be
	if first := c.in.u32(); first != 0 {
		c.in.Failf("names begin at %d", first)
	}
	names, err := readNamesOf(c.in, n)
	if err != nil {
		return err
	}
	found := 0
	ids, uses := make([]uint32, len(names)), make([]uint32, len(names))
	for i, name := range names {
		a, ok := c.pipe.env.byName(name)
		domain, rid := a.sid.split()
		if !ok || domain != c.pipe.env.machine() {
			uses[i] = uint32(useUnknown)
			continue
		}
		found++
		ids[i], uses[i] = rid, uint32(a.use)
	}
	for _, list := range [][]uint32{ids, uses} {
		c.out.u32(uint32(len(list)))
		c.out.pointer(true)
		c.out.u32(uint32(len(list)))
		for _, v := range list {
			c.out.u32(v)
		}
	}
	c.out.u32(mapped(found, len(names)))
	return nil
}

// openUser is SamrOpenUser ([MS-SAMR] 3.1.5.1.9).
func openUser(c *call) error {
	if _, err := c.handle(); err != nil {
		return err
	}
	c.in.u32() // the access that the client would like
	rid := c.in.u32()
	if err := c.in.Err(); err != nil {
		return err
	}
	env := &c.pipe.env
	if a, ok := env.bySID(env.machine().with(rid)); !ok || a.use != useUser {
		c.noHandle()
		c.out.u32(statusNoSuchUser)
		return nil
	}
	return openHandle(c)
}

// passwordRules is SamrGetUserDomainPasswordInformation ([MS-SAMR] 3.1.5.13.2),
// of a user; the rules are the same for all.
func passwordRules(c *call) error {
	if _, err := c.handle(); err != nil {
		return err
	}
	return domainPasswordRules(c)
}

// domainPasswordRules is SamrGetDomainPasswordInformation ([MS-SAMR]
// 3.1.5.13.3): how long a password must be.
func domainPasswordRules(c *call) error {
	c.out.u16(auth.MinPassword)
	c.out.u32(0) // and nothing more is asked of it
	c.out.u32(statusOK)
	return nil
}
