package smb

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

var (
	someOwner = smbwire.NewSID(5, 21, 1, 2, 3, 1000)
	someGroup = smbwire.NewSID(5, 21, 1, 2, 3, 1001)
	stranger  = smbwire.NewSID(5, 21, 1, 2, 3, 1004)
)

// effective returns the rights that a list gives to who has the given SIDs
// ([MS-DTYP] 2.5.3.2).
func effective(acl *smbwire.ACL, sids ...smbwire.SID) vfs.Access {
	var d decision
	for _, e := range acl.Entries {
		for _, sid := range sids {
			if e.SID == sid {
				d.apply(e.Type == smbwire.ACEAllow, vfs.Access(e.Mask))
			}
		}
	}
	return d.allowed
}

// The list of every mode gives owner, group and everyone what the mode gives
// them, and reads back as the mode.
func TestModeDACL(t *testing.T) {
	for mode := range uint32(0o1000) {
		for _, dir := range []bool{false, true} {
			acl := modeDACL(mode, dir, someOwner, someGroup)
			u := modeRights(mode>>6, dir) | modeOwner
			g, o := modeRights(mode>>3&7, dir), modeRights(mode&7, dir)
			if got := effective(acl, someOwner, someGroup, everyone); got != u {
				t.Errorf("%03o: owner has %#x, want %#x", mode, got, u)
			}
			if got := effective(acl, someOwner, everyone); got != u {
				t.Errorf("%03o: owner of another group has %#x, want %#x", mode, got, u)
			}
			if got := effective(acl, someGroup, everyone); got != g {
				t.Errorf("%03o: group has %#x, want %#x", mode, got, g)
			}
			if got := effective(acl, everyone); got != o {
				t.Errorf("%03o: everyone has %#x, want %#x", mode, got, o)
			}
			if got, ok := daclMode(acl, dir, someOwner, someGroup); got != mode || !ok {
				t.Errorf("%03o reads back as %03o, %v", mode, got, ok)
			}
		}
	}
	if n := len(modeDACL(0o755, true, someOwner, someGroup).Entries); n != 3 {
		t.Errorf("0755 has %d entries, want one each", n)
	}
}

func allow(sid smbwire.SID, mask smbwire.AccessMask) smbwire.ACE {
	return smbwire.ACE{SID: sid, Mask: mask}
}

func deny(sid smbwire.SID, mask smbwire.AccessMask) smbwire.ACE {
	return smbwire.ACE{Type: smbwire.ACEDeny, SID: sid, Mask: mask}
}

// What Windows calls its basic permissions.
const (
	winFull        = smbwire.FileAllAccess
	winModify      = smbwire.AccessMask(0x1301bf)
	winReadExecute = smbwire.AccessMask(0x1200a9)
	winRead        = smbwire.AccessMask(0x120089)
	winWrite       = smbwire.AccessMask(0x100116)
)

func TestDACLMode(t *testing.T) {
	inherited := func(e smbwire.ACE, flags smbwire.ACEFlags) smbwire.ACE {
		e.Flags = flags
		return e
	}
	for _, tt := range []struct {
		name    string
		dir     bool
		entries []smbwire.ACE
		mode    int32 // -1: none is the same
	}{
		{"nobody", false, nil, 0},
		{"everyone full", false, []smbwire.ACE{allow(everyone, winFull)}, 0o777},
		{"everyone full, folder", true, []smbwire.ACE{allow(everyone, winFull)}, 0o777},
		{"everyone generic all", false, []smbwire.ACE{allow(everyone, smbwire.GenericAll)}, 0o777},
		{"owner full, everyone reads", false, []smbwire.ACE{allow(someOwner, winFull), allow(everyone, winRead)}, 0o744},
		{"owner full, group read and execute", false, []smbwire.ACE{allow(someOwner, winFull), allow(someGroup, winReadExecute)}, 0o750},
		{"generic read", false, []smbwire.ACE{allow(someOwner, smbwire.GenericRead|smbwire.GenericWrite)}, 0o600},
		{"write without read", false, []smbwire.ACE{allow(everyone, winWrite)}, 0o222},
		{"modify", false, []smbwire.ACE{allow(everyone, winModify)}, 0o777},
		{"the system has all anyway", false, []smbwire.ACE{allow(localSystem, winFull), allow(someOwner, winRead)}, 0o400},
		{"denied before allowed", false, []smbwire.ACE{deny(someGroup, winFull), allow(everyone, winFull)}, 0o007},
		{"allowed before denied", false, []smbwire.ACE{allow(everyone, winRead), deny(everyone, winFull)}, 0o444},
		{"group denied means the owner, too", false, []smbwire.ACE{deny(someGroup, winWrite), allow(everyone, winFull)}, 0o557},
		{"owner allowed before group denied", false, []smbwire.ACE{allow(someOwner, winFull), deny(someGroup, winWrite), allow(everyone, winFull)}, 0o757},
		{"about children only, on a file", false, []smbwire.ACE{inherited(allow(stranger, winFull), smbwire.ACEInheritOnly)}, 0},

		{"modify for the owner", true, []smbwire.ACE{allow(someOwner, winModify)}, 0o700},
		{"inherited, where others may not come", true, []smbwire.ACE{
			inherited(allow(someOwner, winModify), smbwire.ACEObjectInherit|smbwire.ACEContainerInherit),
			inherited(allow(creatorOwner, winFull), smbwire.ACEContainerInherit|smbwire.ACEInheritOnly),
			allow(everyone, winRead),
		}, 0o744},

		{"another user", false, []smbwire.ACE{allow(stranger, winRead)}, -1},
		{"the system denied", false, []smbwire.ACE{deny(localSystem, winRead)}, -1},
		{"write without append", false, []smbwire.ACE{allow(everyone, smbwire.FileWriteData)}, -1},
		{"append only", false, []smbwire.ACE{allow(everyone, smbwire.FileAppendData|smbwire.FileWriteAttributes)}, -1},
		{"write but not attributes", false, []smbwire.ACE{allow(everyone, winWrite&^smbwire.FileWriteAttributes)}, -1},
		{"modify of a folder keeps its children", true, []smbwire.ACE{allow(everyone, winModify)}, -1},
		{"inherited, where others may come", true, []smbwire.ACE{inherited(allow(everyone, winFull), smbwire.ACEObjectInherit)}, -1},
		{"inherited only, where others may come", true, []smbwire.ACE{allow(everyone, winReadExecute), inherited(allow(creatorOwner, winFull), smbwire.ACEContainerInherit|smbwire.ACEInheritOnly)}, -1},
		{"an audit", false, []smbwire.ACE{{Type: smbwire.ACEAudit, SID: everyone, Mask: winFull}}, -1},
	} {
		mode, ok := daclMode(&smbwire.ACL{Entries: tt.entries}, tt.dir, someOwner, someGroup)
		if ok != (tt.mode >= 0) || ok && mode != uint32(tt.mode) {
			t.Errorf("%s: %03o, %v; want %03o", tt.name, mode, ok, tt.mode)
		}
	}
	if mode, ok := daclMode(nil, false, someOwner, someGroup); mode != 0o777 || !ok {
		t.Errorf("no list: %03o, %v", mode, ok)
	}
}

// No list of up to two entries is stored as a mode that gives anybody a right
// that the list does not, but for those that everyone has anyway.
func TestDACLModeNeverGivesMore(t *testing.T) {
	masks := []smbwire.AccessMask{
		0, winFull, winModify, winReadExecute, winRead, winWrite, smbwire.FileReadData, smbwire.FileWriteData,
		smbwire.FileAppendData, smbwire.FileExecute, smbwire.GenericWrite, smbwire.FileWriteAttributes,
	}
	var entries []smbwire.ACE
	for _, sid := range []smbwire.SID{someOwner, someGroup, everyone, localSystem} {
		for _, m := range masks {
			entries = append(entries, allow(sid, smbwire.AccessMask(expand(m))), deny(sid, smbwire.AccessMask(expand(m))))
		}
	}
	stored := 0
	for _, a := range entries {
		for _, b := range entries {
			for _, dir := range []bool{false, true} {
				acl := &smbwire.ACL{Entries: []smbwire.ACE{a, b}}
				mode, ok := daclMode(acl, dir, someOwner, someGroup)
				if !ok {
					continue
				}
				stored++
				for _, who := range []struct {
					digit uint32
					extra vfs.Access
					sids  []smbwire.SID
				}{
					{mode >> 6, modeOwner | ownersAnyway(dir), []smbwire.SID{someOwner, everyone}},
					{mode >> 6, modeOwner | ownersAnyway(dir), []smbwire.SID{someOwner, someGroup, everyone}},
					{mode >> 3 & 7, 0, []smbwire.SID{someGroup, everyone}},
					{mode & 7, 0, []smbwire.SID{everyone}},
				} {
					gives := modeRights(who.digit, dir) &^ modeAlways &^ who.extra
					if more := gives &^ effective(acl, who.sids...); more != 0 {
						t.Fatalf("%+v becomes %03o, which gives %#x more", acl.Entries, mode, more)
					}
				}
			}
		}
	}
	if stored < 100 {
		t.Errorf("only %d lists were stored at all", stored)
	}
}
