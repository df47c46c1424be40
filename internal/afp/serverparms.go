package afp

import (
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
)

// getSrvrParms answers FPGetSrvrParms: the volumes that the user may open.
func (r *request) getSrvrParms(context.Context, *afpwire.GetSrvrParmsRequest) (reply, error) {
	m := &afpwire.GetSrvrParmsReply{Time: afpwire.DateOf(time.Now())}
	s := r.session
	for _, sh := range r.conn.server.config.Shares.All(s.identity) {
		if sh.Options().Hidden || !servable(sh) || !sh.Admits(s.identity, address(r.conn.nc)) {
			continue
		}
		if name, ok := s.version.volumeName(sh.Name()); ok {
			m.Volumes = append(m.Volumes, afpwire.ListedVolume{Name: name})
		}
	}
	return m, nil
}

// servable reports whether a share has what AFP needs of it.
func servable(sh *share.Share) bool { return sh.Features().Mac && sh.Numbered() }

// maxVolumeName is the most bytes in the name of a volume before AFP 3.
const maxVolumeName = 27

// volumeName is the name of a share as clients are told it; ok is false if they
// can't be.
func (v version) volumeName(name string) (wire string, ok bool) {
	if v.utf8() {
		wire = decompose(name)
		return wire, len(wire) <= 255
	}
	wire, ok = afpwire.ToMacRoman(name)
	return wire, ok && len(wire) <= maxVolumeName
}

// shareName undoes volumeName.
func (v version) shareName(wire string) string {
	if v.utf8() {
		return compose(wire)
	}
	return afpwire.FromMacRoman(wire)
}
