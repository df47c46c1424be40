package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// write answers WRITE ([MS-SMB2] 3.3.5.13). The data goes to the disk from
// where the socket left it.
func (r *request) write(ctx context.Context, m *smbwire.WriteRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	n := uint32(len(m.Data))
	if !r.transfers(n, m.Channel) || !offsetFits(m.Offset, n) {
		return nil, smbwire.StatusInvalidParameter
	}
	if o.file == nil {
		return o.writePipe(m)
	}
	if o.file.IsDir() {
		return nil, smbwire.StatusInvalidDeviceRequest
	}
	off := int64(m.Offset)
	if n == 0 {
		off = 0 // nothing can be written where no file reaches
	}
	if _, err := o.file.WriteAt(ctx, m.Data, off); err != nil {
		return nil, err
	}
	o.position.Store(m.Offset + uint64(n))
	r.moved = int(n)
	if o.writesThrough() || m.Flags&smbwire.WriteWriteThrough != 0 {
		if err := o.file.Flush(ctx); err != nil {
			return nil, err
		}
	}
	return &smbwire.WriteResponse{Count: n}, nil
}

// writesThrough reports whether each WRITE is to wait for the disk.
func (o *open) writesThrough() bool {
	return smbwire.CreateOptions(o.mode.Load())&smbwire.WriteThrough != 0
}
