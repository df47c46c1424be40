package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/vfs"
)

// getVolParms answers FPGetVolParms.
func (r *request) getVolParms(ctx context.Context, m *afpwire.GetVolParmsRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	if m.Bitmap&^afpwire.VolBits != 0 || m.Bitmap == 0 {
		return nil, afpwire.ResultBitmapErr
	}
	return r.parms(ctx, v, m.Bitmap)
}

// setVolParms answers FPSetVolParms: the date of the last backup is all that can
// be set. The root of the volume has it.
func (r *request) setVolParms(ctx context.Context, m *afpwire.SetVolParmsRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	switch {
	case m.Bitmap != afpwire.VolBitBackedUp:
		return nil, afpwire.ResultBitmapErr
	case v.tree.ReadOnly():
		return nil, afpwire.ResultVolLocked
	}
	root, err := v.root(ctx, vfs.WriteAttr)
	if err != nil {
		return nil, err
	}
	defer root.Close(ctx)
	return nil, root.SetMac(ctx, vfs.SetMac{Set: vfs.SetBackup, Backup: m.BackedUp.Time()})
}
