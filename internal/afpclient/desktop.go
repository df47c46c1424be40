package afpclient

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// Desktop is the open desktop database of a volume.
type Desktop struct {
	ID   afpwire.DesktopID
	conn *Conn
}

// OpenDesktop opens the desktop database of a volume.
func (v *Volume) OpenDesktop(ctx context.Context) (*Desktop, error) {
	var reply afpwire.OpenDTReply
	err := v.conn.Ask(ctx, &afpwire.OpenDTRequest{Volume: v.ID}, &reply)
	return &Desktop{reply.Desktop, v.conn}, err
}

// Close closes the desktop database.
func (d *Desktop) Close(ctx context.Context) error {
	return d.conn.Ask(ctx, &afpwire.CloseDTRequest{Desktop: d.ID}, nil)
}

// AddComment gives a file or folder a comment, in MacRoman.
func (d *Desktop) AddComment(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, comment string) error {
	return d.conn.Ask(ctx, &afpwire.AddCommentRequest{Desktop: d.ID, Dir: dir, Path: path, Comment: comment}, nil)
}

// Comment asks for the comment of a file or folder.
func (d *Desktop) Comment(ctx context.Context, dir afpwire.NodeID, path afpwire.Path) (string, error) {
	var reply afpwire.GetCommentReply
	err := d.conn.Ask(ctx, &afpwire.GetCommentRequest{Desktop: d.ID, Dir: dir, Path: path}, &reply)
	return reply.Comment, err
}

// RemoveComment removes the comment of a file or folder.
func (d *Desktop) RemoveComment(ctx context.Context, dir afpwire.NodeID, path afpwire.Path) error {
	return d.conn.Ask(ctx, &afpwire.RemoveCommentRequest{Desktop: d.ID, Dir: dir, Path: path}, nil)
}

// AddIcon stores an icon. The desktop and the size are set here.
func (d *Desktop) AddIcon(ctx context.Context, m *afpwire.AddIconRequest, icon []byte) error {
	m.Desktop, m.Size = d.ID, uint16(len(icon))
	return d.conn.AskWrite(ctx, m, icon, nil)
}

// Icon asks for an icon. The desktop is set here.
func (d *Desktop) Icon(ctx context.Context, m *afpwire.GetIconRequest) ([]byte, error) {
	m.Desktop = d.ID
	var reply afpwire.GetIconReply
	err := d.conn.Ask(ctx, m, &reply)
	return reply.Icon, err
}

// IconInfo asks which is the n-th icon of a creator, from 1.
func (d *Desktop) IconInfo(ctx context.Context, creator afpwire.OSType, n uint16) (*afpwire.GetIconInfoReply, error) {
	reply := new(afpwire.GetIconInfoReply)
	return reply, d.conn.Ask(ctx, &afpwire.GetIconInfoRequest{Desktop: d.ID, Creator: creator, Index: n}, reply)
}

// AddAPPL notes that a file is an application of a creator.
func (d *Desktop) AddAPPL(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, creator afpwire.OSType, tag uint32) error {
	return d.conn.Ask(ctx, &afpwire.AddAPPLRequest{Desktop: d.ID, Dir: dir, Creator: creator, Tag: tag, Path: path}, nil)
}

// APPL asks for the n-th application of a creator, from 1.
func (d *Desktop) APPL(ctx context.Context, creator afpwire.OSType, n uint16, bits afpwire.Bitmap) (*afpwire.GetAPPLReply, error) {
	reply := new(afpwire.GetAPPLReply)
	reply.Parms.AFP2 = d.conn.speaksAFP2()
	return reply, d.conn.Ask(ctx, &afpwire.GetAPPLRequest{Desktop: d.ID, Creator: creator, Index: n, Bitmap: bits}, reply)
}

// RemoveAPPL forgets that a file is an application of a creator.
func (d *Desktop) RemoveAPPL(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, creator afpwire.OSType) error {
	return d.conn.Ask(ctx, &afpwire.RemoveAPPLRequest{Desktop: d.ID, Dir: dir, Creator: creator, Path: path}, nil)
}
