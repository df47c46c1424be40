package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// flush answers FLUSH ([MS-SMB2] 3.3.5.11). What is written to a pipe is never
// held back.
func (r *request) flush(ctx context.Context, m *smbwire.FlushRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	if o.file != nil {
		if err := o.file.Flush(ctx); err != nil {
			return nil, err
		}
	}
	return &smbwire.FlushResponse{}, nil
}
