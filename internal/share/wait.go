package share

import (
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

type parkKey struct{}

// OnPark returns a context with which calls that have to wait call park, once,
// just before they do. park must not block. What it is given tells, as long as
// the call goes on, what it waits for.
func OnPark(ctx context.Context, park func(*Waiting)) context.Context {
	return context.WithValue(ctx, parkKey{}, park)
}

// call is one call from a protocol: what it needs to wait. It stays on the
// stack of its goroutine.
type call struct {
	ctx      context.Context
	op, path string // for errors
	open     *Open  // that the call is about, nil for one that is not made yet
	timeout  time.Duration
	waiting  *Waiting // nil before the first wait
	breaks   []broken // oplocks it broke whose holders are not told yet
}

// broken is an oplock that was broken to a level.
type broken struct {
	open *Open
	to   Oplock
}

// fail returns an error of the call.
func (c *call) fail(kind vfs.Kind) error { return vfs.NewError(c.op, c.path, kind, nil) }

// park tells, once, that the call is about to wait, and notes what for until
// resume.
func (c *call) park(on wait) {
	if c.waiting != nil {
		c.waiting.set(on)
		return
	}
	c.waiting = &Waiting{op: c.op, path: c.path, open: c.open}
	c.waiting.set(on)
	if park, ok := c.ctx.Value(parkKey{}).(func(*Waiting)); ok {
		park(c.waiting)
	}
}

// resume says that what park noted is over.
func (c *call) resume() { c.waiting.set(wait{}) }

// breakTo breaks the oplocks on r for what the open by does, nil for one that
// is not made yet. If it reports true, the call has to await and try again. The
// caller holds the shard's lock and calls notify after it let go of it.
func (c *call) breakTo(r *row, to Oplock, by *lock.Holder) (wait bool) {
	if r.oplocks.Top() == lock.None {
		return false
	}
	wait = r.oplocks.Break(to, by, func(h *lock.Holder) {
		o := h.Of.(*Open)
		o.broken = time.Now()
		c.breaks = append(c.breaks, broken{o, to})
	})
	r.guard()
	return wait
}

// notify tells the holders whose oplock was broken.
func (c *call) notify() {
	for _, b := range c.breaks {
		b.open.holder.BreakOplock(b.open, b.to)
	}
	c.breaks = nil
}

// await waits until r changed or the holder that owes an answer has had its
// time. The caller holds s.mu, which is free meanwhile, so that r may be
// another one or none when await returns.
func (c *call) await(s *shard, r *row) error {
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	changed := r.changed
	var timeout <-chan time.Time
	holder := r.oplocks.First()
	if holder != nil && holder.Breaking() {
		timer := time.NewTimer(time.Until(holder.Of.(*Open).broken.Add(c.timeout)))
		defer timer.Stop()
		timeout = timer.C
	}
	s.mu.Unlock()
	defer s.mu.Lock()
	c.notify()
	c.park(wait{shard: s, row: r})
	defer c.resume()
	select {
	case <-changed:
		return nil
	case <-c.ctx.Done():
		return vfs.NewError(c.op, c.path, vfs.KindCanceled, c.ctx.Err())
	case <-timeout:
		holder.Of.(*Open).expire(c.timeout)
		return nil
	}
}

// expire takes away an oplock whose break was not answered for so long.
func (o *Open) expire(timeout time.Duration) {
	s := o.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.closed || !o.oplock.Breaking() || time.Since(o.broken) < timeout {
		return
	}
	o.row.oplocks.Release(&o.oplock)
	o.row.guard()
	o.row.wake()
}
