package afpclient

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// Volume is an open volume of a session.
type Volume struct {
	ID   afpwire.VolumeID
	conn *Conn
}

// OpenVolume opens a volume, whose name is as ServerParms has it, and returns
// what bits ask for, too.
func (c *Conn) OpenVolume(ctx context.Context, name string, bits afpwire.VolumeBitmap) (*Volume, *afpwire.VolumeParms, error) {
	m := &afpwire.OpenVolRequest{Bitmap: bits | afpwire.VolBitID, Name: name}
	var reply afpwire.VolParmsReply
	if err := c.Ask(ctx, m, &reply); err != nil {
		return nil, nil, err
	}
	return &Volume{reply.Parms.ID, c}, &reply.Parms, nil
}

// Close closes the volume.
func (v *Volume) Close(ctx context.Context) error {
	return v.conn.Ask(ctx, &afpwire.CloseVolRequest{Volume: v.ID}, nil)
}

// Parms asks for parameters of the volume.
func (v *Volume) Parms(ctx context.Context, bits afpwire.VolumeBitmap) (*afpwire.VolumeParms, error) {
	var reply afpwire.VolParmsReply
	err := v.conn.Ask(ctx, &afpwire.GetVolParmsRequest{Volume: v.ID, Bitmap: bits}, &reply)
	return &reply.Parms, err
}

// SetBackupDate says when the volume was backed up.
func (v *Volume) SetBackupDate(ctx context.Context, d afpwire.Date) error {
	return v.conn.Ask(ctx, &afpwire.SetVolParmsRequest{Volume: v.ID, Bitmap: afpwire.VolBitBackedUp, BackedUp: d}, nil)
}

// Flush asks that what was changed reach the disk.
func (v *Volume) Flush(ctx context.Context) error {
	return v.conn.Ask(ctx, &afpwire.FlushRequest{Volume: v.ID}, nil)
}
