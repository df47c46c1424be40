package afpclient

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// GetExtAttr asks for the value of an extended attribute, of at most maxSize
// bytes. With 0 only its length is returned.
func (v *Volume) GetExtAttr(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.ExtAttrBitmap, name string, maxSize uint32) (*afpwire.GetExtAttrReply, error) {
	reply := new(afpwire.GetExtAttrReply)
	return reply, v.conn.Ask(ctx, &afpwire.GetExtAttrRequest{
		Volume: v.ID, Dir: dir, Bitmap: bits, Count: -1, MaxReply: maxSize, Path: path, Name: name,
	}, reply)
}

// SetExtAttr sets the value of an extended attribute.
func (v *Volume) SetExtAttr(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.ExtAttrBitmap, name string, value []byte) error {
	return v.conn.Ask(ctx, &afpwire.SetExtAttrRequest{Volume: v.ID, Dir: dir, Bitmap: bits, Path: path, Name: name, Value: value}, nil)
}

// RemoveExtAttr removes an extended attribute.
func (v *Volume) RemoveExtAttr(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.ExtAttrBitmap, name string) error {
	return v.conn.Ask(ctx, &afpwire.RemoveExtAttrRequest{Volume: v.ID, Dir: dir, Bitmap: bits, Path: path, Name: name}, nil)
}

// ListExtAttrs asks for the names of extended attributes, in at most maxSize
// bytes. With 0 only their length is returned.
func (v *Volume) ListExtAttrs(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.ExtAttrBitmap, maxSize uint32) (*afpwire.ListExtAttrsReply, error) {
	reply := new(afpwire.ListExtAttrsReply)
	return reply, v.conn.Ask(ctx, &afpwire.ListExtAttrsRequest{Volume: v.ID, Dir: dir, Bitmap: bits, MaxReply: maxSize, Path: path}, reply)
}

// GetACL asks for the owner, group and access control list of a file or folder.
func (v *Volume) GetACL(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.ACLBitmap) (*afpwire.Security, error) {
	var reply afpwire.GetACLReply
	err := v.conn.Ask(ctx, &afpwire.GetACLRequest{Volume: v.ID, Dir: dir, Bitmap: bits, Path: path}, &reply)
	return &reply.Security, err
}

// SetACL changes those that bits name.
func (v *Volume) SetACL(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.ACLBitmap, s *afpwire.Security) error {
	return v.conn.Ask(ctx, &afpwire.SetACLRequest{Volume: v.ID, Dir: dir, Bitmap: bits, Path: path, Security: *s}, nil)
}

// Access asks whether who has rights to a file or folder. The error of one who
// has not wraps afpwire.ResultAccessDenied.
func (v *Volume) Access(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, who afpwire.UUID, rights afpwire.ACLRights) error {
	return v.conn.Ask(ctx, &afpwire.AccessRequest{Volume: v.ID, Dir: dir, Who: who, Rights: rights, Path: path}, nil)
}
