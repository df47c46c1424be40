package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// logoff answers LOGOFF ([MS-SMB2] 3.3.5.6).
func (r *request) logoff(_ context.Context, _ *smbwire.LogoffRequest) (reply, error) {
	r.session.close()
	return &smbwire.LogoffResponse{}, nil
}
