package smb

import (
	"math"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Well-known SIDs ([MS-DTYP] 2.4.2.4).
var (
	everyone     = smbwire.NewSID(1, 0)
	creatorOwner = smbwire.NewSID(3, 0)
	localSystem  = smbwire.NewSID(5, 18)
)

// Accounts of this machine get SIDs by reckoning, without a store: even parts
// from 1000 on are users, odd ones groups, of the machine's own SID. The few
// numbers that are too large for that go to the authority for Unix.
const (
	firstRID  = 1000
	maxID     = (math.MaxUint32 - firstRID - 1) / 2
	unixID    = 22
	unixUser  = 1
	unixGroup = 2
)

// machineSID is what the SIDs of the machine's accounts begin with.
func (s *Server) machineSID() smbwire.SID {
	m := s.config.MachineSID
	return smbwire.NewSID(5, 21, m[0], m[1], m[2])
}

// userSID returns the SID of an account of the machine.
func (s *Server) userSID(uid uint32) smbwire.SID {
	if uid > maxID {
		return smbwire.NewSID(unixID, unixUser, uid)
	}
	return s.machineSID().Child(firstRID + 2*uid)
}

// groupSID returns the SID of a group of the machine.
func (s *Server) groupSID(gid uint32) smbwire.SID {
	if gid > maxID {
		return smbwire.NewSID(unixID, unixGroup, gid)
	}
	return s.machineSID().Child(firstRID + 1 + 2*gid)
}

// accountOf returns the account or group that a SID was made of.
func (s *Server) accountOf(sid smbwire.SID) (id uint32, group, ok bool) {
	domain, rid, ok := sid.Split()
	switch {
	case !ok:
		return 0, false, false
	case domain == s.machineSID() && rid >= firstRID:
		return (rid - firstRID) / 2, (rid-firstRID)%2 == 1, true
	case domain == smbwire.NewSID(unixID, unixUser):
		return rid, false, true
	case domain == smbwire.NewSID(unixID, unixGroup):
		return rid, true, true
	}
	return 0, false, false
}
