package share

import (
	"context"

	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// ReadAt is vfs.File.ReadAt. It needs ReadData or Execute. Error: KindLocked.
func (o *Open) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	const op = "read"
	if err := o.need(op, vfs.ReadData|vfs.Execute); err != nil {
		return 0, err
	}
	if o.row.guarded.Load() && !o.mayRead(off, len(p)) {
		return 0, o.fail(op, vfs.KindLocked)
	}
	return o.file.ReadAt(ctx, p, off)
}

// mayRead asks the byte ranges.
func (o *Open) mayRead(off int64, n int) bool {
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	return o.row.ranges.MayRead(&o.ranges, uint64(off), uint64(n))
}

// WriteAt is vfs.File.WriteAt. It needs WriteData or, to write behind the end
// only, AppendData. Error: KindLocked.
func (o *Open) WriteAt(ctx context.Context, p []byte, off int64) (int, error) {
	const op = "write"
	if err := o.need(op, vfs.WriteData|vfs.AppendData); err != nil {
		return 0, err
	}
	if !o.granted.Has(vfs.WriteData) {
		if a, err := o.file.Attr(ctx); err != nil {
			return 0, err
		} else if off < a.Size {
			return 0, o.fail(op, vfs.KindNotGranted)
		}
	}
	if err := o.changing(ctx, op, off, len(p)); err != nil {
		return 0, err
	}
	n, err := o.file.WriteAt(ctx, p, off)
	if n > 0 {
		o.wrote(ctx)
	}
	return n, err
}

// Truncate sets the size. It needs WriteData. As on Windows it does not ask
// the byte ranges.
func (o *Open) Truncate(ctx context.Context, size int64) error {
	const op = "truncate"
	if err := o.need(op, vfs.WriteData); err != nil {
		return err
	}
	if err := o.changing(ctx, op, 0, 0); err != nil {
		return err
	}
	err := o.file.Truncate(ctx, size)
	if err == nil {
		o.wrote(ctx)
	}
	return err
}

// Allocate reserves room for size bytes, and cuts the file when it is longer
// ([MS-FSA] 2.1.5.15.1). It needs WriteData.
func (o *Open) Allocate(ctx context.Context, size int64) error {
	const op = "allocate"
	if err := o.need(op, vfs.WriteData); err != nil {
		return err
	}
	if err := o.changing(ctx, op, 0, 0); err != nil {
		return err
	}
	a, err := o.file.Attr(ctx)
	switch {
	case err != nil:
		return err
	case size < a.Size:
		if err = o.file.Truncate(ctx, size); err == nil {
			o.wrote(ctx)
		}
		return err
	}
	err = o.file.Allocate(ctx, size)
	if vfs.IsKind(err, vfs.KindUnsupported) {
		return nil // a client can't do anything about it
	}
	return err
}

// changing gets what others cache or have locked out of the way of a change of
// the file's bytes.
func (o *Open) changing(ctx context.Context, op string, off int64, n int) error {
	if !o.row.guarded.Load() {
		return nil
	}
	c := o.call(ctx, op)
	defer c.notify()
	s := o.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if o.closed {
			return o.fail(op, vfs.KindClosed)
		}
		if !o.row.ranges.MayWrite(&o.ranges, uint64(off), uint64(n)) {
			return vfs.NewError(op, "", vfs.KindLocked, nil)
		}
		if !c.breakTo(o.row, lock.None, &o.oplock) {
			return nil
		}
		if err := c.await(s, o.row); err != nil {
			return err
		}
	}
}

// wrote keeps the attributes right after the file's bytes were changed.
func (o *Open) wrote(ctx context.Context) {
	defer o.reportChange(byWrite)
	if o.unnoted.CompareAndSwap(true, false) {
		o.tree.audit(audit.Write, o.Path(), "", nil)
	}
	if o.kept.Load() == nil && o.keptChange.Load() == nil && !o.unarchived.Load() {
		return
	}
	// The bytes are written, whatever becomes of this.
	ctx = context.WithoutCancel(ctx)
	if o.unarchived.CompareAndSwap(true, false) {
		if a, err := o.file.Attr(ctx); err == nil {
			o.file.SetAttr(ctx, o.tree.caller, vfs.SetAttr{Set: vfs.SetDOS, DOS: a.DOS&vfs.DOSStored | vfs.DOSArchive})
		}
	}
	if when := o.kept.Load(); when != nil {
		o.file.SetAttr(ctx, o.tree.caller, vfs.SetAttr{Set: vfs.SetModified, Modified: *when})
	}
	o.keepChange(ctx)
}
