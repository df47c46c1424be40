package afp

import (
	"context"
	"math"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// maxVolumes is how many volumes a session may have open.
const maxVolumes = 255

// volume is an open volume of a session.
type volume struct {
	id   afpwire.VolumeID
	tree *share.Tree // in use as long as the volume is open

	listing listing
}

// close gives up what the volume holds. It is called once, by whoever took it
// out of its session.
func (v *volume) close() { v.tree.Release() }

// volume finds an open volume and keeps its share in use until done is called.
func (r *request) volume(id afpwire.VolumeID) (v *volume, done func(), err error) {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	v = r.session.volumes[id]
	if v == nil {
		return nil, nil, afpwire.ResultParamErr
	}
	v.tree.Use()
	return v, v.tree.Release, nil
}

// everything is what AFP leaves to others but where it says more.
const everything = share.ShareRead | share.ShareWrite | share.ShareDelete

// root opens the root of a volume.
func (v *volume) root(ctx context.Context, access vfs.Access) (*share.Open, error) {
	o, _, err := v.tree.Open(ctx, share.OpenRequest{Access: access, Share: everything, Disposition: share.OpenExisting, Directory: true})
	return o, err
}

// parms are the parameters of a volume.
func (r *request) parms(ctx context.Context, v *volume, bits afpwire.VolumeBitmap) (reply, error) {
	root, err := v.root(ctx, vfs.ReadAttr)
	if err != nil {
		return nil, err
	}
	defer root.Close(ctx)
	a := root.AttrAtOpen()
	m := &afpwire.VolParmsReply{Bitmap: bits, Parms: afpwire.VolumeParms{
		Attributes: r.attributes(v),
		Signature:  afpwire.FixedDirIDs,
		Created:    afpwire.DateOf(a.Birth),
		Modified:   afpwire.DateOf(a.Modified),
		ID:         v.id,
		Name:       roman(v.tree.Share().Name(), maxVolumeName),
	}}
	if bits&afpwire.VolBitBackedUp != 0 {
		mac, err := root.Mac(ctx)
		if err != nil {
			return nil, err
		}
		m.Parms.BackedUp = afpwire.DateOf(mac.Backup)
	}
	const room = afpwire.VolBitBytesFree | afpwire.VolBitBytesTotal | afpwire.VolBitExtBytesFree | afpwire.VolBitExtBytesTotal | afpwire.VolBitBlockSize
	if bits&room != 0 {
		space, err := root.Space(ctx)
		if err != nil {
			return nil, err
		}
		m.Parms.BytesFree, m.Parms.BytesTotal = uint64(max(space.Available, 0)), uint64(max(space.Total, 0))
		m.Parms.BlockSize = uint32(min(max(space.BlockSize, 0), math.MaxUint32))
	}
	return m, nil
}

// attributes say what a client can do with a volume.
func (r *request) attributes(v *volume) afpwire.VolumeAttributes {
	a := afpwire.VolNoNetworkUserIDs | afpwire.VolHasFileIDs
	if v.tree.ReadOnly() {
		a |= afpwire.VolReadOnly
	}
	if r.session.version.utf8() {
		a |= afpwire.VolHasUTF8Names | afpwire.VolHasUnixPrivs
		if v.tree.Share().Features().CaseSensitive {
			a |= afpwire.VolCaseSensitive
		}
	}
	return a
}
