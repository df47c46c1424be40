package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/vfs"
)

// createID answers FPCreateID. All files have an id.
func (r *request) createID(ctx context.Context, m *afpwire.CreateIDRequest) (reply, error) {
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
	if o.IsDir() {
		return nil, afpwire.ResultObjectTypeErr
	}
	n, err := o.Number(ctx)
	if err != nil {
		return nil, err
	}
	return &afpwire.CreateIDReply{ID: afpwire.NodeID(n.Node)}, afpwire.ResultIDExists
}

// deleteID answers FPDeleteID, which is of no effect: files keep their ids.
func (r *request) deleteID(ctx context.Context, m *afpwire.DeleteIDRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	_, err = v.file(ctx, m.ID)
	return nil, err
}

// resolveID answers FPResolveID.
func (r *request) resolveID(ctx context.Context, m *afpwire.ResolveIDRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	n, err := v.file(ctx, m.ID)
	if err != nil {
		return nil, err
	}
	if err := r.checkBits(m.Bitmap, false); err != nil {
		return nil, err
	}
	return &afpwire.ResolveIDReply{Bitmap: m.Bitmap, Parms: *v.parms(n, m.Bitmap, r.session.version)}, nil
}

// file finds the file of an id.
func (v *volume) file(ctx context.Context, id afpwire.NodeID) (*node, error) {
	path, err := v.tree.Find(ctx, uint32(id))
	if err != nil {
		return nil, idNotFound(err)
	}
	o, err := v.open(ctx, path, vfs.ReadAttr)
	if err != nil {
		return nil, idNotFound(err)
	}
	defer o.Close(ctx)
	if o.IsDir() {
		return nil, afpwire.ResultObjectTypeErr
	}
	n, err := look(ctx, o)
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// idNotFound is how commands about ids say that there is none.
func idNotFound(err error) error {
	if isMissing(err) {
		return afpwire.ResultIDNotFound
	}
	return err
}
