package smb

import (
	"math"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

func TestAccountSIDs(t *testing.T) {
	s := &Server{config: Config{MachineSID: [3]uint32{7, 8, 9}}}
	seen := map[smbwire.SID]bool{}
	for _, id := range []uint32{0, 1, 500, 1000, 65534, maxID - 1, maxID, maxID + 1, math.MaxUint32} {
		for _, group := range []bool{false, true} {
			sid := s.userSID(id)
			if group {
				sid = s.groupSID(id)
			}
			if got, isGroup, ok := s.accountOf(sid); got != id || isGroup != group || !ok {
				t.Errorf("%v of %d, group %v, comes back as %d, %v, %v", sid, id, group, got, isGroup, ok)
			}
			if seen[sid] {
				t.Errorf("%v is given twice", sid)
			}
			seen[sid] = true
		}
	}
	if got := s.userSID(1000).String(); got != "S-1-5-21-7-8-9-3000" {
		t.Errorf("user 1000 is %s", got)
	}
	if got := s.groupSID(0).String(); got != "S-1-5-21-7-8-9-1001" {
		t.Errorf("group 0 is %s", got)
	}
	for _, sid := range []smbwire.SID{{}, everyone, localSystem, smbwire.NewSID(5, 21, 7, 8, 10, 3000), s.machineSID().Child(500)} {
		if id, _, ok := s.accountOf(sid); ok {
			t.Errorf("%v is account %d", sid, id)
		}
	}
}
