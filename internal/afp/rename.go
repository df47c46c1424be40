package afp

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// rename answers FPRename.
func (r *request) rename(ctx context.Context, m *afpwire.RenameRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	from, err := v.resolve(ctx, m.Dir, m.Path)
	if err != nil {
		return nil, err
	}
	if from == "" {
		return nil, afpwire.ResultCantRename
	}
	to, err := v.target(ctx, parent(from), m.NewName)
	if err != nil {
		return nil, err
	}
	return nil, v.move(ctx, from, to)
}

// moveAndRename answers FPMoveAndRename.
func (r *request) moveAndRename(ctx context.Context, m *afpwire.MoveAndRenameRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	from, err := v.resolve(ctx, m.SourceDir, m.Source)
	if err != nil {
		return nil, err
	}
	if from == "" {
		return nil, afpwire.ResultCantMove
	}
	folder, err := v.folder(ctx, m.DestDir, m.Dest)
	if err != nil {
		return nil, err
	}
	to := join(folder, base(from))
	if m.NewName.Name != "" {
		if to, err = v.target(ctx, folder, m.NewName); err != nil {
			return nil, err
		}
	}
	return nil, v.move(ctx, from, to)
}

// folder returns the path of a folder that is there.
func (v *volume) folder(ctx context.Context, dir afpwire.NodeID, p afpwire.Path) (string, error) {
	o, err := v.at(ctx, dir, p, vfs.ReadAttr)
	if err != nil {
		return "", err
	}
	defer o.Close(ctx)
	if !o.IsDir() {
		return "", afpwire.ResultObjectTypeErr
	}
	return o.Path(), nil
}

// move gives what stands at a path another one, where nothing may be.
func (v *volume) move(ctx context.Context, from, to string) error {
	if v.tree.ReadOnly() {
		return afpwire.ResultVolLocked
	}
	o, _, err := v.tree.Open(ctx, share.OpenRequest{Path: from, Access: vfs.Delete | vfs.ReadAttr, Share: everything, Disposition: share.OpenExisting})
	if err != nil {
		return err
	}
	defer o.Close(ctx)
	if o.IsDir() && strings.HasPrefix(to+"/", o.Path()+"/") && to != o.Path() {
		return afpwire.ResultCantMove
	}
	if err := free(ctx, o, vfs.MacRenameInhibit); err != nil {
		return err
	}
	if to == o.Path() {
		return nil
	}
	return o.Rename(ctx, to, 0)
}
