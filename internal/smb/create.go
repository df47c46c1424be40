package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// create answers CREATE ([MS-SMB2] 3.3.5.9): it opens a file, folder or pipe,
// or makes one.
func (r *request) create(ctx context.Context, m *smbwire.CreateRequest) (reply, error) {
	switch {
	case r.tree.files == nil:
		return r.createPipe(m)
	case r.tree.refusal != nil:
		return nil, r.tree.refusal
	}
	q, err := openRequest(m)
	if err != nil {
		return nil, err
	}
	wishes, err := wishesOf(m.Contexts)
	if err != nil {
		return nil, err
	}
	q.Allocation = wishes.allocation
	if m.Disposition != smbwire.FileOpen && m.Disposition != smbwire.FileOverwrite {
		q.Mode, q.HasMode, err = r.conn.server.newMode(wishes.security, r.tree.files.Caller(), q.Directory)
		if err != nil {
			return nil, err
		}
	}

	held := &r.conn.server.held
	o := &open{tree: r.tree, user: r.session.user()}
	if !held.take(o.user) {
		return nil, smbwire.StatusTooManyOpenedFiles
	}
	o.mode.Store(uint32(m.Options & keptOptions))
	if q.Oplock != 0 {
		q.Holder = o
	}
	file, action, err := r.tree.files.Open(ctx, q)
	if err != nil {
		held.give(o.user)
		return nil, err
	}
	o.file, o.folder = file, r.tree.files.Share().Meter().Uses(folderOf(q.Path, file.IsDir()))
	answer := createResponse(o, action)
	attr := file.AttrAtOpen()
	answer.Contexts = wishes.answers(ctx, o, &attr)
	if err := r.keep(o); err != nil {
		return nil, err
	}
	answer.FileID = o.id
	if q.Holder != nil {
		r.chain.opened = append(r.chain.opened, o)
	}
	return answer, nil
}

// createResponse tells what was opened, but for its id.
func createResponse(o *open, action share.Action) *smbwire.CreateResponse {
	a := o.file.AttrAtOpen()
	return &smbwire.CreateResponse{
		OplockLevel:    oplockLevels[o.file.Oplock()],
		CreateAction:   smbwire.CreateAction(action),
		CreationTime:   smbwire.FileTimeOf(a.Birth),
		LastAccessTime: smbwire.FileTimeOf(a.Accessed),
		LastWriteTime:  smbwire.FileTimeOf(a.Modified),
		ChangeTime:     smbwire.FileTimeOf(a.Changed),
		AllocationSize: allocation(&a),
		EndOfFile:      endOfFile(&a),
		FileAttributes: fileAttributes(&a),
	}
}
