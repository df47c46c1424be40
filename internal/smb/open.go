package smb

import (
	"context"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/meter"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/rpc"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// open is an open file, folder or pipe of a session ([MS-SMB2] 3.3.1.10).
type open struct {
	id   smbwire.FileID
	tree *tree
	file *share.Open // nil for a pipe
	pipe *rpc.Pipe   // nil for a file
	user string      // in whose holdings the file is

	// folder counts the uses of the one that the file was opened in, or of the
	// folder itself, as the client spells it. It is nil for a pipe.
	folder *meter.Uses

	uses         uses
	oplock       oplock
	lockSequence lockSequence
	listing      listing
	mode         atomic.Uint32 // the create options that FileModeInformation shows
	position     atomic.Uint64 // FilePositionInformation
}

// close frees what the open holds. It is called once, by whoever took the open
// out of its session.
func (o *open) close() error {
	if o.file == nil {
		return nil
	}
	o.listing.close()
	defer o.tree.session.conn.server.held.give(o.user)
	return o.file.Close(context.Background())
}
