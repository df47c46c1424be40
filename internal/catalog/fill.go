package catalog

import (
	"context"
	"maps"
	"slices"
)

// setOutLocked sends the recent changes on their way to the table, if there are
// enough of them. They get there once what is written by now is durable: were the
// table ahead of the log after a power cut, it would hold ids that nobody promised.
func (c *Catalog) setOutLocked(all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	due := all || len(c.recent) >= c.pace.batch || now()-c.filled >= int64(c.pace.delay)
	if len(c.applying) > 0 || len(c.recent) == 0 || !due {
		return
	}
	c.applying, c.recent = c.recent, map[CNID]Entry{}
	c.bound = c.headLocked()
	c.after = c.written
}

// headLocked is the head of a table that has all that is written.
func (c *Catalog) headLocked() head {
	return head{c.tag, place{c.segment.number, c.segment.end}, c.promised}
}

// fill brings the changes that are on their way to the table, if they may.
func (c *Catalog) fill(ctx context.Context) {
	c.writing.Lock()
	c.mu.RLock()
	ready := len(c.applying) > 0 && c.durable >= c.after && !c.rotten
	c.mu.RUnlock()
	c.writing.Unlock()
	if !ready {
		return
	}
	changes := inOrder(c.applying)
	err := c.table.Apply(ctx, changes, c.bound)

	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.lagging == nil {
		c.logger.Warn("the table of ids could not be filled; memory and the log have what it lacks", "err", err)
	}
	if c.lagging = err; err != nil {
		return
	}
	c.arriveLocked(changes)
	c.applying, c.filled, c.stands, c.got = nil, now(), c.bound, c.after
	c.turn++
}

// inOrder returns changes by their ids.
func inOrder(changes map[CNID]Entry) []Entry {
	all := make([]Entry, 0, len(changes))
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		all = append(all, changes[id])
	}
	return all
}

// arriveLocked makes the pages like the table, which has got changes. Where all
// ids of a page are new, the page is whole without a look at the table.
func (c *Catalog) arriveLocked(changes []Entry) {
	top := c.top
	for len(changes) > 0 {
		number := changes[0].ID / pageSize
		n := 1
		for n < len(changes) && changes[n].ID/pageSize == number {
			n++
		}
		p := c.pages[number]
		if p != nil || number*pageSize > top {
			c.setPageLocked(number, p.with(changes[:n]))
		}
		c.top = max(c.top, changes[n-1].ID)
		changes = changes[n:]
	}
}

// unappliedLocked returns all changes that the table has not got.
func (c *Catalog) unappliedLocked() []Entry {
	all := maps.Clone(c.applying)
	if all == nil {
		all = map[CNID]Entry{}
	}
	maps.Copy(all, c.recent)
	return inOrder(all)
}

// loadSome brings some more identities into memory and reports whether there are
// still more.
func (c *Catalog) loadSome(ctx context.Context) (more bool) {
	const some = 4096
	c.mu.RLock()
	from, rotten, whole := c.loaded, c.rotten, c.whole
	c.mu.RUnlock()
	if rotten || whole || c.account.Exceeded() || now() < c.loadAfter.Load() {
		return false
	}
	entries, err := c.table.Range(ctx, from, last, some)
	if err != nil {
		c.noteDamage(err)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != from {
		return true // dropped meanwhile
	}
	for i := range entries {
		e := &entries[i]
		// What was changed since, by this id or to this identity, is known better.
		_, recent := c.recent[e.ID]
		_, applying := c.applying[e.ID]
		if !recent && !applying {
			c.setIDLocked(e.Identity, e.ID)
		}
		c.loaded = e.ID + 1
	}
	c.whole = len(entries) < some
	return !c.whole
}
