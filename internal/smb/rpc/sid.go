package rpc

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// sid is a security identifier ([MS-DTYP] 2.4.2): comparable, S-authority-subs.
type sid struct {
	authority uint64 // 48 bits
	count     uint8
	subs      [maxSubs]uint32
}

const maxSubs = 15

func newSID(authority uint64, subs ...uint32) sid {
	s := sid{authority: authority, count: uint8(len(subs))}
	copy(s.subs[:], subs)
	return s
}

func (s sid) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "S-1-%d", s.authority)
	for _, v := range s.subs[:s.count] {
		fmt.Fprintf(&b, "-%d", v)
	}
	return b.String()
}

// with returns s with a relative id behind it.
func (s sid) with(rid uint32) sid {
	s.subs[s.count] = rid
	s.count++
	return s
}

// split returns the domain of a SID and its relative id in it.
func (s sid) split() (domain sid, rid uint32) {
	if s.count == 0 {
		return s, 0
	}
	s.count--
	rid, s.subs[s.count] = s.subs[s.count], 0
	return s, rid
}

// decode reads what a pointer to a SID points to: the count, as of a conformant
// array, before the structure.
func (s *sid) decode(d *decoder) {
	count := d.u32()
	revision := d.U8()
	s.count = d.U8()
	var authority [8]byte
	d.Copy(authority[2:])
	s.authority = binary.BigEndian.Uint64(authority[:])
	if count > maxSubs || count != uint32(s.count) || revision != 1 {
		d.Failf("SID of revision %d with %d and %d parts", revision, count, s.count)
		*s = sid{}
		return
	}
	for i := range s.count {
		s.subs[i] = d.U32()
	}
}

func (s sid) encode(e *encoder) {
	e.u32(uint32(s.count))
	e.U8(1)
	e.U8(s.count)
	e.BE16(uint16(s.authority >> 32))
	e.BE32(uint32(s.authority))
	for _, v := range s.subs[:s.count] {
		e.U32(v)
	}
}

// sidUse says what a SID stands for ([MS-LSAT] 2.2.13).
type sidUse uint16

const (
	useUser      sidUse = 1
	useGroup     sidUse = 2
	useDomain    sidUse = 3
	useAlias     sidUse = 4
	useWellKnown sidUse = 5
	useUnknown   sidUse = 8
)

// account is a SID with its name.
type account struct {
	sid    sid
	use    sidUse
	domain string
	name   string
}

// Authorities ([MS-DTYP] 2.4.1.1).
const (
	authorityWorld   = 1
	authorityCreator = 3
	authorityNT      = 5
	authorityUnix    = 22 // of Samba, which others took over
)

// builtin is the domain of the groups that every Windows has.
var builtin = newSID(authorityNT, 32)

// wellKnown are accounts that are the same everywhere ([MS-DTYP] 2.4.2.4).
var wellKnown = []account{
	{newSID(0, 0), useWellKnown, "", "NULL SID"},
	{newSID(authorityWorld, 0), useWellKnown, "", "Everyone"},
	{newSID(authorityCreator, 0), useWellKnown, "", "CREATOR OWNER"},
	{newSID(authorityCreator, 1), useWellKnown, "", "CREATOR GROUP"},
	{newSID(authorityCreator, 4), useWellKnown, "", "OWNER RIGHTS"},
	{newSID(authorityNT, 2), useWellKnown, "NT AUTHORITY", "NETWORK"},
	{newSID(authorityNT, 4), useWellKnown, "NT AUTHORITY", "INTERACTIVE"},
	{newSID(authorityNT, 7), useWellKnown, "NT AUTHORITY", "ANONYMOUS LOGON"},
	{newSID(authorityNT, 11), useWellKnown, "NT AUTHORITY", "Authenticated Users"},
	{newSID(authorityNT, 18), useWellKnown, "NT AUTHORITY", "SYSTEM"},
	{newSID(authorityNT, 19), useWellKnown, "NT AUTHORITY", "LOCAL SERVICE"},
	{newSID(authorityNT, 20), useWellKnown, "NT AUTHORITY", "NETWORK SERVICE"},
	{builtin, useDomain, "BUILTIN", "BUILTIN"},
	{builtin.with(544), useAlias, "BUILTIN", "Administrators"},
	{builtin.with(545), useAlias, "BUILTIN", "Users"},
	{builtin.with(546), useAlias, "BUILTIN", "Guests"},
	{builtin.with(551), useAlias, "BUILTIN", "Backup Operators"},
}
