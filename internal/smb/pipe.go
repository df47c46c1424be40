package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/rpc"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// pipeAllocation is what a pipe seems to take on the disk, as on Windows.
const pipeAllocation = 4096

// createPipe opens a named pipe of IPC$ ([MS-SMB2] 3.3.5.9). There is nothing
// else in it.
func (r *request) createPipe(m *smbwire.CreateRequest) (reply, error) {
	q, err := openRequest(m)
	if err != nil {
		return nil, err
	}
	pipe, err := rpc.Open(q.Path, r.rpcEnv())
	if err != nil {
		return nil, err
	}
	o := &open{tree: r.tree, pipe: pipe}
	if err := r.keep(o); err != nil {
		return nil, err
	}
	return &smbwire.CreateResponse{
		CreateAction:   smbwire.FileOpened,
		AllocationSize: pipeAllocation,
		FileAttributes: smbwire.FileAttributes(vfs.DOSNormal),
		FileID:         o.id,
	}, nil
}

// rpcEnv is what the client can learn through pipes.
func (r *request) rpcEnv() rpc.Env {
	c, id := r.conn, r.session.identity.Load()
	s := c.server
	env := rpc.Env{
		Name:    s.config.Name,
		Machine: s.config.MachineSID,
		Shares: func() []rpc.Share {
			var list []rpc.Share
			for _, sh := range s.config.Shares.All(id) {
				if sh.Admits(id, c.ip()) && !sh.Options().Hidden {
					list = append(list, rpc.Share{Name: sh.Name(), Comment: sh.Options().Comment})
				}
			}
			return list
		},
	}
	if !id.Guest {
		env.User = id.User
		env.Accounts = s.config.Accounts
		env.Login = func() rpc.Login { return c.pipeLogin(id) }
		env.ChangePassword = func(user string, n rpc.NewPassword) uint32 { return c.changePassword(id, user, n) }
	}
	return env
}

// readPipe answers READ of a pipe: up to the whole packet that is next
// ([MS-SMB2] 3.3.5.12). Answers are ready when questions were written, so there
// is nothing to wait for.
func (o *open) readPipe(m *smbwire.ReadRequest) (reply, error) {
	data, more := o.pipe.Read(int(m.Length))
	switch {
	case data == nil:
		return nil, smbwire.StatusPipeEmpty
	case more:
		return &smbwire.ReadResponse{Data: data}, smbwire.StatusBufferOverflow
	}
	return &smbwire.ReadResponse{Data: data}, nil
}

// writePipe answers WRITE to a pipe.
func (o *open) writePipe(m *smbwire.WriteRequest) (reply, error) {
	if err := o.pipe.Write(m.Data); err != nil {
		return nil, err
	}
	return &smbwire.WriteResponse{Count: uint32(len(m.Data))}, nil
}

// transceive answers FSCTL_PIPE_TRANSCEIVE, a WRITE and a READ in one
// ([MS-SMB2] 3.3.5.15.10).
func transceive(_ context.Context, _ *request, o *open, m *smbwire.IoctlRequest) ([]byte, error) {
	if o.pipe == nil {
		return nil, smbwire.StatusInvalidDeviceRequest
	}
	data, more, err := o.pipe.Transact(m.Input, int(m.MaxOutputResponse))
	if err == nil && more {
		err = smbwire.StatusBufferOverflow
	}
	return data, err
}
