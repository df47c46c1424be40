package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// remove answers FPDelete. What somebody has open stays.
func (r *request) remove(ctx context.Context, m *afpwire.DeleteRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	if v.tree.ReadOnly() {
		return nil, afpwire.ResultVolLocked
	}
	path, err := v.resolve(ctx, m.Dir, m.Path)
	switch {
	case err != nil:
		return nil, err
	case path == "":
		return nil, afpwire.ResultAccessDenied
	}
	o, _, err := v.tree.Open(ctx, share.OpenRequest{Path: path, Access: vfs.Delete | vfs.ReadAttr, Disposition: share.OpenExisting})
	if vfs.IsKind(err, vfs.KindSharing) {
		return nil, afpwire.ResultFileBusy
	}
	if err != nil {
		return nil, err
	}
	defer o.Close(ctx)
	if err := free(ctx, o, vfs.MacDeleteInhibit); err != nil {
		return nil, err
	}
	// To AFP it is another attribute that forbids it than to DOS.
	if err := o.SetDelete(ctx, true, share.DeleteReadOnly); err != nil {
		return nil, err
	}
	return nil, o.Close(ctx)
}

// free fails if an attribute of a file or folder forbids what is to be done.
func free(ctx context.Context, o *share.Open, inhibit vfs.MacAttr) error {
	mac, err := o.Mac(ctx)
	if err != nil {
		return err
	}
	if mac.Attr&inhibit != 0 {
		return afpwire.ResultObjectLocked
	}
	return nil
}
