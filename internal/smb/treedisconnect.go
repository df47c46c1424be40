package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// treeDisconnect answers TREE_DISCONNECT ([MS-SMB2] 3.3.5.8).
func (r *request) treeDisconnect(_ context.Context, _ *smbwire.TreeDisconnectRequest) (reply, error) {
	r.session.disconnect(r.tree)
	return &smbwire.TreeDisconnectResponse{}, nil
}
