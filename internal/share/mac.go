package share

import (
	"context"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// Mac returns what Macs know of the file. Error: KindUnsupported where nothing is
// kept for them.
func (o *Open) Mac(ctx context.Context) (vfs.Mac, error) {
	f, ok := o.file.(vfs.MacFile)
	if !ok {
		return vfs.Mac{}, o.fail("mac", vfs.KindUnsupported)
	}
	return f.Mac(ctx)
}

// SetMac changes what Macs know of the file. It needs WriteAttr, WriteXattr or
// WriteData. Errors: KindUnsupported as Mac, KindInvalid for a comment that is too
// long.
func (o *Open) SetMac(ctx context.Context, s vfs.SetMac) error {
	const op = "set mac"
	if err := o.need(op, vfs.WriteAttr|vfs.WriteXattr|vfs.WriteData); err != nil {
		return err
	}
	f, ok := o.file.(vfs.MacFile)
	if !ok {
		return o.fail(op, vfs.KindUnsupported)
	}
	if err := f.SetMac(ctx, o.tree.caller, s); err != nil {
		return err
	}
	o.keepChange(ctx)
	o.reportChange(lock.ChangeAttributes)
	return nil
}
