package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// createFile answers FPCreateFile. A hard one empties a file that is there, unless
// somebody has it open.
func (r *request) createFile(ctx context.Context, m *afpwire.CreateFileRequest) (reply, error) {
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
	how := share.OpenRequest{Path: path, Access: vfs.ReadAttr, Share: everything, Disposition: share.Create, NonDirectory: true}
	if m.Hard {
		how.Disposition, how.Share = share.OverwriteIf, 0
	}
	o, _, err := v.tree.Open(ctx, how)
	switch {
	case vfs.IsKind(err, vfs.KindExist):
		return nil, resultOfExisting(ctx, v, path)
	case vfs.IsKind(err, vfs.KindSharing):
		return nil, afpwire.ResultFileBusy
	case err != nil:
		return nil, err
	}
	return nil, o.Close(ctx)
}

// resultOfExisting is the result of a new file where something is already.
func resultOfExisting(ctx context.Context, v *volume, path string) error {
	o, err := v.open(ctx, path, vfs.ReadAttr)
	if err != nil {
		return afpwire.ResultObjectExists
	}
	defer o.Close(ctx)
	if o.IsDir() {
		return afpwire.ResultObjectTypeErr
	}
	return afpwire.ResultObjectExists
}
