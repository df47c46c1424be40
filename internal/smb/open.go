package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// open is an open file, folder or pipe of a session ([MS-SMB2] 3.3.1.10).
type open struct {
	id   smbwire.FileID
	tree *tree
	file *share.Open // nil for a pipe
}

// close frees what the open holds. It is called once, by whoever took the open
// out of its session.
func (o *open) close() error {
	return o.file.Close(context.Background())
}
