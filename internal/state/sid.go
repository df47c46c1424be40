package state

import (
	"fmt"
	"strconv"
	"strings"
)

// SID is the security identifier of a machine, S-1-5-21 with these three numbers
// behind it. Those of its users and groups begin with it.
type SID [3]uint32

const sidPrefix = "S-1-5-21-"

// ParseSID reads the usual form.
func ParseSID(s string) (sid SID, err error) {
	rest, ok := strings.CutPrefix(s, sidPrefix)
	parts := strings.Split(rest, "-")
	if !ok || len(parts) != len(sid) {
		return sid, fmt.Errorf("%q is no SID of a machine, which is %s and three numbers", s, sidPrefix)
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 32)
		if err != nil {
			return SID{}, fmt.Errorf("%q is no SID of a machine: %q is no number of 32 bits", s, p)
		}
		sid[i] = uint32(n)
	}
	return sid, nil
}

func (s SID) String() string { return fmt.Sprintf("%s%d-%d-%d", sidPrefix, s[0], s[1], s[2]) }

// SID returns the SID that the server took over from another one, zero if it has
// one of its own making.
func (f *Folder) SID() SID { return f.sid }

// SetSID makes the server take over a SID, from the time on when the folder is
// opened next.
func (f *Folder) SetSID(sid SID) error { return f.writeHeader(sid) }
