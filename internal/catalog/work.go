package catalog

import (
	"context"
	"time"
)

// pause is how long the worker lets changes come together that it syncs at once,
// unless somebody waits.
const pause = 200 * time.Millisecond

// always is ready.
var always = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// work is the goroutine that syncs the log and looks after the table and memory.
func (c *Catalog) work() {
	defer close(c.ended)
	ctx := context.Background() // what is begun is ended: Close waits for it
	c.fatal = c.start(ctx)
	close(c.ready)
	if c.fatal != nil {
		return
	}
	var due <-chan time.Time // when to sync
	soon := false            // and not only to fill the table
	chores := true
	for {
		var idle <-chan struct{}
		if chores {
			idle = always
		}
		select {
		case <-c.quit:
			return
		case <-c.wake:
			if !soon {
				due, soon = time.After(pause), true
			}
			continue
		case <-c.account.C():
			c.account.Trim()
			continue
		case <-idle:
			chores = c.loadSome(ctx) || c.compactSome(ctx)
			continue
		case done := <-c.rewrites:
			c.beginRewrite(done)
			continue
		case <-c.hurry:
		case <-due:
		}
		due, soon, chores = nil, false, true
		if c.settle(ctx) {
			due = time.After(c.pace.delay)
		}
	}
}

// settle syncs the log, answers those who wait for that, and fills the table. It
// reports whether there is more for the table.
func (c *Catalog) settle(ctx context.Context) (more bool) {
	c.mu.Lock()
	waiting, rotten := c.waiting, c.rotten
	full := len(c.recent) >= c.pace.most
	c.waiting = nil
	c.mu.Unlock()

	err := c.secure(full || c.compacting != nil)
	if full { // they wait for the table
		c.fill(ctx)
	}
	for _, w := range waiting {
		w <- err
	}
	if rotten {
		if err := c.rebuild(ctx); err != nil {
			c.logger.Warn("the table of ids could not be made again", "err", err)
		}
	}
	c.fill(ctx)
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.recent)+len(c.applying) > 0 || c.rotten
}

// finish does what is left to do when the worker has ended.
func (c *Catalog) finish() (err error) {
	defer c.folder.Close()
	defer c.table.Close()
	select {
	case <-c.ready:
	default:
		return nil
	}
	if c.fatal != nil {
		return nil
	}
	ctx := context.Background()
	c.dropCompaction(errClosed)
	for range 2 { // what was on its way, then the rest
		if err = c.secure(true); err == nil {
			c.fill(ctx)
		}
	}
	if err == nil {
		err = c.signOff()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.waiting {
		w <- err
	}
	c.waiting = nil
	if c.segment.file != nil {
		c.segment.file.Close()
	}
	for _, file := range c.retired {
		file.Close()
	}
	return err
}

// signOff takes back the promise of numbers that were not given.
func (c *Catalog) signOff() error {
	c.writing.Lock()
	err := c.appendLocked(c.next, nil)
	todo := c.unsyncedLocked()
	c.writing.Unlock()
	if err != nil {
		return nil // they stay promised
	}
	return c.sync(todo)
}
