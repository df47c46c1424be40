package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// echo answers ECHO ([MS-SMB2] 3.3.5.17). It needs no session, but if it names
// one that exists, what protects that protects the echo, too.
func (r *request) echo(_ context.Context, _ *smbwire.EchoRequest) (reply, error) {
	if r.session != nil && r.session.valid.Load() {
		if err := r.session.admits(r); err != nil {
			return nil, err
		}
	}
	return &smbwire.EchoResponse{}, nil
}
