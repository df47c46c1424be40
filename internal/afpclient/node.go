package afpclient

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// Stat asks for parameters of a file or folder: for files if it is one, else
// for dirs.
func (v *Volume) Stat(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, files, dirs afpwire.Bitmap) (*afpwire.Parms, error) {
	var reply afpwire.GetFileDirParmsReply
	reply.Parms.AFP2 = v.conn.speaksAFP2()
	err := v.conn.Ask(ctx, &afpwire.GetFileDirParmsRequest{Volume: v.ID, Dir: dir, Files: files, Dirs: dirs, Path: path}, &reply)
	return &reply.Parms, err
}

// SetParms changes parameters of a file or folder with SetFileDirParms.
func (v *Volume) SetParms(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.Bitmap, p *afpwire.Parms) error {
	return v.setParms(ctx, afpwire.SetFileDirParms, dir, path, bits, p)
}

// SetFileParms is SetParms for files only.
func (v *Volume) SetFileParms(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.Bitmap, p *afpwire.Parms) error {
	return v.setParms(ctx, afpwire.SetFileParms, dir, path, bits, p)
}

// SetDirParms is SetParms for folders only. p.Dir must be set.
func (v *Volume) SetDirParms(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, bits afpwire.Bitmap, p *afpwire.Parms) error {
	return v.setParms(ctx, afpwire.SetDirParms, dir, path, bits, p)
}

func (v *Volume) setParms(ctx context.Context, c afpwire.Command, dir afpwire.NodeID, path afpwire.Path, bits afpwire.Bitmap, p *afpwire.Parms) error {
	w := cursor.NewWriter(nil)
	p.Encode(w, bits)
	return v.conn.Ask(ctx, &afpwire.SetParmsRequest{Command: c, Volume: v.ID, Dir: dir, Bitmap: bits, Path: path, Block: w.Message()}, nil)
}

// CreateFile makes an empty file; a hard create replaces one that is there.
func (v *Volume) CreateFile(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, hard bool) error {
	return v.conn.Ask(ctx, &afpwire.CreateFileRequest{Hard: hard, Volume: v.ID, Dir: dir, Path: path}, nil)
}

// CreateDir makes an empty folder.
func (v *Volume) CreateDir(ctx context.Context, dir afpwire.NodeID, path afpwire.Path) (afpwire.NodeID, error) {
	var reply afpwire.CreateDirReply
	err := v.conn.Ask(ctx, &afpwire.CreateDirRequest{Volume: v.ID, Dir: dir, Path: path}, &reply)
	return reply.ID, err
}

// Delete deletes a file, or an empty folder.
func (v *Volume) Delete(ctx context.Context, dir afpwire.NodeID, path afpwire.Path) error {
	return v.conn.Ask(ctx, &afpwire.DeleteRequest{Volume: v.ID, Dir: dir, Path: path}, nil)
}

// Rename gives a file or folder another name.
func (v *Volume) Rename(ctx context.Context, dir afpwire.NodeID, path, newName afpwire.Path) error {
	return v.conn.Ask(ctx, &afpwire.RenameRequest{Volume: v.ID, Dir: dir, Path: path, NewName: newName}, nil)
}

// Move moves a file or folder to the folder that dest leads to, under newName
// if that is not empty.
func (v *Volume) Move(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, destDir afpwire.NodeID, dest, newName afpwire.Path) error {
	return v.conn.Ask(ctx, &afpwire.MoveAndRenameRequest{
		Volume: v.ID, SourceDir: dir, DestDir: destDir, Source: path, Dest: dest, NewName: newName,
	}, nil)
}

// Copy makes the server copy a file to the folder that dest leads to, on this
// or another volume, under newName if that is not empty.
func (v *Volume) Copy(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, to *Volume, destDir afpwire.NodeID, dest, newName afpwire.Path) error {
	return v.conn.Ask(ctx, &afpwire.CopyFileRequest{
		SourceVolume: v.ID, SourceDir: dir, DestVolume: to.ID, DestDir: destDir, Source: path, Dest: dest, NewName: newName,
	}, nil)
}

// Exchange makes two files change places.
func (v *Volume) Exchange(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, otherDir afpwire.NodeID, other afpwire.Path) error {
	return v.conn.Ask(ctx, &afpwire.ExchangeFilesRequest{
		Volume: v.ID, SourceDir: dir, DestDir: otherDir, Source: path, Dest: other,
	}, nil)
}

// OpenDir asks for the id of a folder.
func (v *Volume) OpenDir(ctx context.Context, dir afpwire.NodeID, path afpwire.Path) (afpwire.NodeID, error) {
	var reply afpwire.OpenDirReply
	err := v.conn.Ask(ctx, &afpwire.OpenDirRequest{Volume: v.ID, Dir: dir, Path: path}, &reply)
	return reply.ID, err
}

// CloseDir says that the id of a folder is no longer needed.
func (v *Volume) CloseDir(ctx context.Context, dir afpwire.NodeID) error {
	return v.conn.Ask(ctx, &afpwire.CloseDirRequest{Volume: v.ID, Dir: dir}, nil)
}

// SyncDir waits until all of a folder is on the disk.
func (v *Volume) SyncDir(ctx context.Context, dir afpwire.NodeID) error {
	return v.conn.Ask(ctx, &afpwire.SyncDirRequest{Volume: v.ID, Dir: dir}, nil)
}

// CreateID gives a file an id. Servers whose files have one return it with
// afpwire.ResultIDExists.
func (v *Volume) CreateID(ctx context.Context, dir afpwire.NodeID, path afpwire.Path) (afpwire.NodeID, error) {
	m := &afpwire.CreateIDRequest{Volume: v.ID, Dir: dir, Path: path}
	payload, err := v.conn.call(ctx, &request{function: afpwire.DSICommand, message: m})
	var reply afpwire.CreateIDReply
	if len(payload) > 0 {
		if err := decode(m, payload, &reply); err != nil {
			return 0, err
		}
	}
	return reply.ID, explain(m, err)
}

// DeleteID takes the id from a file.
func (v *Volume) DeleteID(ctx context.Context, id afpwire.NodeID) error {
	return v.conn.Ask(ctx, &afpwire.DeleteIDRequest{Volume: v.ID, ID: id}, nil)
}

// ResolveID asks for parameters of the file with an id.
func (v *Volume) ResolveID(ctx context.Context, id afpwire.NodeID, bits afpwire.Bitmap) (*afpwire.Parms, error) {
	var reply afpwire.ResolveIDReply
	reply.Parms.AFP2 = v.conn.speaksAFP2()
	err := v.conn.Ask(ctx, &afpwire.ResolveIDRequest{Volume: v.ID, ID: id, Bitmap: bits}, &reply)
	return &reply.Parms, err
}
