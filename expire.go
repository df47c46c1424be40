package dozo

import (
	"context"
	"sync"
	"time"
)

// expireEvery is how often it is looked for what the bins of shares have for long
// enough.
const expireEvery = 24 * time.Hour

// expire removes that, at once and then every day. When ctx ends it stops, and
// returns. A disk that hangs holds up its own share only.
func (r *running) expire(ctx context.Context) {
	ticks := time.NewTicker(expireEvery)
	defer ticks.Stop()
	var all sync.WaitGroup
	defer all.Wait()
	for {
		for _, m := range *r.shares.Load() {
			if m.expiring.CompareAndSwap(false, true) {
				all.Go(func() {
					m.expire(ctx)
					m.expiring.Store(false)
				})
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

// expire is that for one share.
func (m *mounted) expire(ctx context.Context) {
	o := m.options.Load()
	if o.RecycleDays == 0 {
		return
	}
	s, err := m.current()
	if err != nil {
		return // its disk is absent, which was told
	}
	gone, err := s.Expire(ctx)
	if gone > 0 {
		m.log.Info("what was deleted long enough ago is gone for good", "share", o.Name, "folder", o.Recycle, "count", gone, "days", o.RecycleDays)
	}
	if err != nil {
		m.log.Warn("not all that was deleted long enough ago could be removed for good", "share", o.Name, "folder", o.Recycle, "reason", err)
	}
}
