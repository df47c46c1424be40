package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// open opens what stands at a path for what AFP does without a fork.
func (v *volume) open(ctx context.Context, path string, access vfs.Access) (*share.Open, error) {
	o, _, err := v.tree.Open(ctx, share.OpenRequest{Path: path, Access: access, Share: everything, Disposition: share.OpenExisting})
	return o, err
}

// at opens what a path leads to from a folder.
func (v *volume) at(ctx context.Context, dir afpwire.NodeID, p afpwire.Path, access vfs.Access) (*share.Open, error) {
	path, err := v.resolve(ctx, dir, p)
	if err != nil {
		return nil, err
	}
	return v.open(ctx, path, access)
}

// getFileDirParms answers FPGetFileDirParms.
func (r *request) getFileDirParms(ctx context.Context, m *afpwire.GetFileDirParmsRequest) (reply, error) {
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
	n, err := look(ctx, o)
	if err != nil {
		return nil, err
	}
	bits := m.Files
	if n.dir() {
		bits = m.Dirs
	}
	if err := r.checkBits(bits, n.dir()); err != nil {
		return nil, err
	}
	p := v.parms(&n, bits, r.session.version)
	if n.dir() && bits&afpwire.BitOffspring != 0 {
		p.Offspring = v.count(ctx, o.Path())
	}
	return &afpwire.GetFileDirParmsReply{Files: m.Files, Dirs: m.Dirs, Parms: *p}, nil
}

// checkBits refuses bits that there are not for a file or folder in the version
// that is spoken.
func (r *request) checkBits(bits afpwire.Bitmap, dir bool) error {
	known := ^afpwire.Bitmap(0)
	if dir {
		known = afpwire.DirBits
	}
	if !r.session.version.utf8() {
		known &^= afpwire.BitUnixPrivs | afpwire.BitExtResourceLength
		if !dir {
			known &^= afpwire.BitExtDataLength
		}
	}
	if bits&^known != 0 {
		return afpwire.ResultBitmapErr
	}
	return nil
}
