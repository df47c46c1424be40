package smb

import "github.com/dozo-server/dozo/internal/smb/smbwire"

// createPipe opens a named pipe of IPC$.
func (r *request) createPipe(m *smbwire.CreateRequest) (reply, error) {
	return nil, smbwire.StatusObjectNameNotFound
}

func (r *request) readPipe(o *open, m *smbwire.ReadRequest) (reply, error) {
	return nil, smbwire.StatusPipeEmpty
}

func (o *open) writePipe(m *smbwire.WriteRequest) (reply, error) {
	return nil, smbwire.StatusPipeEmpty
}
