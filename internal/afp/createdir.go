package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// createDir answers FPCreateDir.
func (r *request) createDir(ctx context.Context, m *afpwire.CreateDirRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	if v.tree.ReadOnly() {
		return nil, afpwire.ResultVolLocked
	}
	path, err := v.resolve(ctx, m.Dir, m.Path)
	if err != nil {
		return nil, err
	}
	o, _, err := v.tree.Open(ctx, share.OpenRequest{Path: path, Access: vfs.ReadAttr, Share: everything, Disposition: share.Create, Directory: true})
	if err != nil {
		return nil, err
	}
	defer o.Close(ctx)
	n, err := o.Number(ctx)
	if err != nil {
		return nil, err
	}
	return &afpwire.CreateDirReply{ID: afpwire.NodeID(n.Node)}, nil
}

// openDir answers FPOpenDir: the id of a folder is all that it asks for.
func (r *request) openDir(ctx context.Context, m *afpwire.OpenDirRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := v.at(ctx, m.Dir, m.Path, vfs.ReadAttr)
	if err != nil {
		return nil, err
	}
	defer o.Close(ctx)
	if !o.IsDir() {
		return nil, afpwire.ResultObjectTypeErr
	}
	n, err := o.Number(ctx)
	if err != nil {
		return nil, err
	}
	return &afpwire.OpenDirReply{ID: afpwire.NodeID(n.Node)}, nil
}

// closeDir answers FPCloseDir. The ids of folders are for good, so there is
// nothing to close.
func (r *request) closeDir(_ context.Context, m *afpwire.CloseDirRequest) (reply, error) {
	_, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	done()
	return nil, nil
}
