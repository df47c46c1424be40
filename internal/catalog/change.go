package catalog

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// change has f find out from s what is to be changed, and writes that down with
// one call. f is called under the locks, maybe more than once, and the last time
// with nothing asked; new entries get their ids from c.next on. A change that
// can't be written is not made.
func (c *Catalog) change(ctx context.Context, f func(s *search) ([]Entry, error)) error {
	if err := c.await(ctx); err != nil {
		return err
	}
	var s search
	for {
		again, err := c.tryChange(&s, f)
		switch {
		case err != nil || !again:
			return err
		case s.asks():
			err = s.load(ctx)
		default:
			err = c.makeRoom(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// tryChange makes the change unless it must wait for something.
func (c *Catalog) tryChange(s *search, f func(s *search) ([]Entry, error)) (again bool, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.closed {
		return false, errClosed
	}
	c.mu.RLock()
	s.beginLocked(c)
	changes, err := f(s)
	full := len(c.recent) >= c.pace.most
	c.mu.RUnlock()
	if s.asks() {
		return true, nil
	}
	if err != nil || len(changes) == 0 {
		return false, err
	}
	next := c.next
	for i := range changes {
		next = max(next, changes[i].ID+1)
	}
	if full || next > c.ceiling && next > c.next {
		c.wanted = max(c.wanted, next)
		return true, nil
	}
	if err := c.appendLocked(c.promised, changes); err != nil {
		return false, err
	}
	c.next = next
	c.remember(changes)
	return false, nil
}

// remember brings changes that were written down into memory.
func (c *Catalog) remember(changes []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range changes {
		e := &changes[i]
		c.recent[e.ID] = *e
		if !e.gone() {
			c.setIDLocked(e.Identity, e.ID)
		} else if c.ids[e.Identity] == e.ID {
			c.setIDLocked(e.Identity, 0)
		}
	}
}

// makeRoom waits until more numbers are promised, or the table has got what
// memory holds for it.
func (c *Catalog) makeRoom(ctx context.Context) error {
	if err := c.round(ctx); err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.ceiling < c.wanted && c.unpromised != nil {
		return c.unpromised
	}
	if len(c.recent) >= c.pace.most {
		return c.lagging
	}
	return nil
}

// Move notes that the node with an id has another place or name. Errors:
// KindNotExist for an id that was not given or has ended.
func (c *Catalog) Move(ctx context.Context, id, parent CNID, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return c.change(ctx, func(s *search) ([]Entry, error) {
		e, ok := s.entry(id)
		if !ok {
			return nil, noEntry
		}
		if e.Parent == parent && e.Name == name {
			return nil, nil
		}
		e.Parent, e.Name = parent, name
		return []Entry{e}, nil
	})
}

// Remove notes that the node with an id is gone. The id is never given again.
// Errors: KindNotExist for an id that was not given or has ended.
func (c *Catalog) Remove(ctx context.Context, id CNID) error {
	return c.change(ctx, func(s *search) ([]Entry, error) {
		e, ok := s.entry(id)
		if !ok {
			return nil, noEntry
		}
		e.Type = 0
		return []Entry{e}, nil
	})
}

// Exchange notes that two nodes have changed places: each id keeps its place and
// name, and is the other's identity from now on, as after FPExchangeFiles.
// Errors: KindNotExist for an id that was not given or has ended.
func (c *Catalog) Exchange(ctx context.Context, a, b CNID) error {
	return c.change(ctx, func(s *search) ([]Entry, error) {
		x, okX := s.entry(a)
		y, okY := s.entry(b)
		if !okX || !okY {
			return nil, noEntry
		}
		if a == b {
			return nil, nil
		}
		x.Identity, y.Identity = y.Identity, x.Identity
		return []Entry{x, y}, nil
	})
}

func checkName(name string) error {
	if len(name) > maxName {
		return vfs.NewError("catalog", "", vfs.KindNameTooLong, nil)
	}
	return nil
}
