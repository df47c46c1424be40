package share

import (
	"context"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// maxRanges is how many byte ranges an open may hold: memory that a client
// takes.
const maxRanges = 1 << 16

// Lock locks all ranges or none ([MS-FSA] 2.1.5.8). With wait it waits, for one
// range only, until it is free; who came first is served first. It needs
// ReadData or WriteData. Errors: KindLocked when it is not free (without wait),
// KindCanceled, KindRangeNotHeld when the open was closed meanwhile,
// KindNoMemory.
func (o *Open) Lock(ctx context.Context, ranges []Range, wait bool) error {
	const op = "lock"
	if err := o.need(op, vfs.ReadData|vfs.Execute|vfs.WriteData|vfs.AppendData); err != nil {
		return err
	}
	if o.IsDir() || wait && len(ranges) != 1 {
		return o.fail(op, vfs.KindInvalid)
	}
	c := o.call(ctx, op)
	defer c.notify()
	s := o.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if o.closed {
			return c.fail(vfs.KindClosed)
		}
		if o.ranges.Count()+len(ranges) > maxRanges {
			return c.fail(vfs.KindNoMemory)
		}
		if !c.breakTo(o.row, lock.None, &o.oplock) {
			break
		}
		if err := c.await(s, o.row); err != nil {
			return err
		}
	}
	defer o.row.guard()
	if wait {
		return o.waitFor(&c, ranges[0])
	}
	for i, r := range ranges {
		if !o.row.ranges.Lock(&o.ranges, r) {
			for _, done := range ranges[:i] {
				o.row.ranges.Undo(&o.ranges, done)
			}
			return c.fail(vfs.KindLocked)
		}
	}
	return nil
}

// waitFor locks r when it is free. The caller holds the shard's lock, which is
// free while it waits.
func (o *Open) waitFor(c *call, r Range) error {
	granted := make(chan struct{})
	w := o.row.ranges.Wait(&o.ranges, r, func() { close(granted) })
	if w == nil {
		return nil
	}
	o.row.guard()
	if o.closing == nil {
		o.closing = make(chan struct{})
	}
	o.shard.mu.Unlock()
	c.notify()
	c.park(wait{o.shard, o.row, w})
	defer c.resume()
	select {
	case <-granted:
	case <-o.closing:
	case <-c.ctx.Done():
	}
	o.shard.mu.Lock()
	if o.closed {
		return c.fail(vfs.KindRangeNotHeld)
	}
	select {
	case <-granted:
		return nil
	default:
		o.row.ranges.Cancel(w)
		return vfs.NewError(c.op, c.path, vfs.KindCanceled, c.ctx.Err())
	}
}

// Unlock unlocks the ranges one by one; the first that is not held, with just
// this offset and length, ends it with KindRangeNotHeld.
func (o *Open) Unlock(ranges []Range) error {
	const op = "unlock"
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	if o.closed {
		return vfs.NewError(op, "", vfs.KindClosed, nil)
	}
	defer o.row.guard()
	for _, r := range ranges {
		if !o.row.ranges.Unlock(&o.ranges, r.Offset, r.Length) {
			return vfs.NewError(op, "", vfs.KindRangeNotHeld, nil)
		}
	}
	return nil
}
