package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// changeNotify answers CHANGE_NOTIFY ([MS-SMB2] 3.3.5.19) as a file system
// without change notices does. Clients then look for themselves.
func (r *request) changeNotify(_ context.Context, m *smbwire.ChangeNotifyRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	if o.file == nil || !o.file.IsDir() {
		return nil, smbwire.StatusInvalidParameter
	}
	if !o.file.Granted().Has(vfs.ListDir) {
		return nil, smbwire.StatusAccessDenied
	}
	return nil, smbwire.StatusNotSupported
}
