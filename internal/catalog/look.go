package catalog

import (
	"context"
	"errors"

	"github.com/dozo-server/dozo/vfs"
)

// search is a call's view of what is known: first what memory has, then what was
// read from the table for it. What it does not know yet it asks for, and the call
// begins again once that was read. Where the table got something meanwhile, all
// that was read counts no more.
type search struct {
	c     *Catalog
	turn  uint64
	pages map[CNID]*page
	ids   map[Identity]CNID // 0: the table has none

	askedPages []CNID
	askedIDs   []Identity
}

// beginLocked makes s fit to be asked.
func (s *search) beginLocked(c *Catalog) {
	if s.c == nil || s.turn != c.turn {
		*s = search{c: c, turn: c.turn}
	}
	s.askedPages, s.askedIDs = nil, nil
}

// asks reports whether the answers of s are not all there are.
func (s *search) asks() bool { return len(s.askedPages)+len(s.askedIDs) > 0 }

// entry returns what is known of an id. While s asks, false means nothing.
func (s *search) entry(id CNID) (Entry, bool) {
	if e, ok := s.c.recent[id]; ok {
		return e, !e.gone()
	}
	if e, ok := s.c.applying[id]; ok {
		return e, !e.gone()
	}
	number := id / pageSize
	p := s.c.pages[number]
	if p == nil {
		p = s.pages[number]
	}
	if p == nil {
		if n := len(s.askedPages); n == 0 || s.askedPages[n-1] != number {
			s.askedPages = append(s.askedPages, number)
		}
		return Entry{}, false
	}
	p.used.Store(now())
	return p.entry(id)
}

// find returns what is known of an identity. While s asks, false means nothing.
func (s *search) find(i Identity) (Entry, bool) {
	id := s.c.ids[i]
	if id == 0 && !s.c.whole {
		var asked bool
		if id, asked = s.ids[i]; !asked {
			s.askedIDs = append(s.askedIDs, i)
		}
	}
	if id == 0 {
		return Entry{}, false
	}
	e, ok := s.entry(id)
	return e, ok && e.Identity == i // the table may not know yet that it ended
}

// load reads what s asked for.
func (s *search) load(ctx context.Context) error {
	s.c.mu.RLock()
	rotten := s.c.rotten
	s.c.mu.RUnlock()
	if rotten {
		return beingRebuilt
	}
	if s.pages == nil {
		s.pages, s.ids = map[CNID]*page{}, map[Identity]CNID{}
	}
	for _, i := range s.askedIDs {
		id, err := s.c.table.Find(ctx, i)
		if err != nil {
			return s.c.noteDamage(err)
		}
		s.ids[i] = id
	}
	for _, number := range s.askedPages {
		if s.pages[number] != nil {
			continue
		}
		first := number * pageSize
		entries, err := s.c.table.Range(ctx, first, first+pageSize-1, pageSize)
		if err != nil {
			return s.c.noteDamage(err)
		}
		s.pages[number] = newPage(entries)
	}
	s.c.keep(s)
	return nil
}

// keep brings into memory what s has read, if it still counts.
func (c *Catalog) keep(s *search) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != s.turn {
		return
	}
	for number, p := range s.pages {
		if c.pages[number] == nil {
			c.setPageLocked(number, p)
		}
	}
}

// look has f answer a call from s, as often as it takes until nothing is asked.
func (c *Catalog) look(ctx context.Context, f func(s *search)) error {
	if err := c.await(ctx); err != nil {
		return err
	}
	var s search
	for {
		c.mu.RLock()
		s.beginLocked(c)
		f(&s)
		c.mu.RUnlock()
		if !s.asks() {
			return nil
		}
		if err := s.load(ctx); err != nil {
			return err
		}
	}
}

// Entry returns what is known of an id. Errors: KindNotExist for one that was
// not given or has ended.
func (c *Catalog) Entry(ctx context.Context, id CNID) (e Entry, err error) {
	ok := false
	if err := c.look(ctx, func(s *search) { e, ok = s.entry(id) }); err != nil {
		return Entry{}, err
	}
	if !ok {
		return Entry{}, noEntry
	}
	return e, nil
}

// Find returns what is known of an identity. Errors: KindNotExist for one that
// has no id.
func (c *Catalog) Find(ctx context.Context, i Identity) (e Entry, err error) {
	ok := false
	if err := c.look(ctx, func(s *search) { e, ok = s.find(i) }); err != nil {
		return Entry{}, err
	}
	if !ok {
		return Entry{}, noEntry
	}
	return e, nil
}

var noEntry = vfs.NewError("catalog", "", vfs.KindNotExist, nil)

// noteDamage has the table made again if that is what err is about.
func (c *Catalog) noteDamage(err error) error {
	if errors.Is(err, errDamaged) {
		c.mu.Lock()
		if !c.rotten {
			c.logger.Warn("the table of ids is damaged and is made again from the log", "err", err)
		}
		c.rotten = true
		c.mu.Unlock()
		ring(c.hurry)
	}
	return err
}

var beingRebuilt = vfs.NewError("catalog", tableFile, vfs.KindIO, errors.New("the table of ids is being made again"))
