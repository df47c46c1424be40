package catalog

import (
	"context"
	"slices"
)

// mostImported leaves enough numbers to go on with behind the highest id that is
// taken over.
const mostImported CNID = 0xf0000000

// Refused is why an id was not taken over.
type Refused int

// The reasons.
const (
	RefusedRange    Refused = iota + 1 // reserved by AFP, or so high that few are left
	RefusedGiven                       // given here before, or taken over for another node
	RefusedHasOther                    // the node has another id here already
)

// Import takes over ids that another server gave to nodes, and returns how many.
// Ids given afterwards are higher than all of them. Of those that can't be taken
// over refused is told. All is synced on return. An import that did not end is to
// be begun again with an empty catalog: it may have used up numbers.
func (c *Catalog) Import(ctx context.Context, entries []Entry, refused func(Entry, Refused)) (taken int, err error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		bad := e.ID < First || e.ID > mostImported || e.gone() || len(e.Name) > maxName
		if bad {
			refused(e, RefusedRange)
		}
		return bad
	})
	first, err := c.lift(ctx, entries)
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(entries, 4096) {
		var changes []Entry
		var reasons map[int]Refused
		err := c.change(ctx, func(s *search) ([]Entry, error) {
			changes, reasons = nil, map[int]Refused{}
			ids, identities := map[CNID]bool{}, map[Identity]bool{}
			for i := range some {
				e := &some[i]
				known, hasOne := s.find(e.Identity)
				_, isGiven := s.entry(e.ID)
				switch {
				case hasOne && known.ID == e.ID: // taken over before
				case hasOne || identities[e.Identity]:
					reasons[i] = RefusedHasOther
					continue
				case isGiven || e.ID < first || ids[e.ID]:
					reasons[i] = RefusedGiven
					continue
				}
				ids[e.ID], identities[e.Identity] = true, true
				changes = append(changes, *e)
			}
			return changes, nil
		})
		if err != nil {
			return taken, err
		}
		taken += len(changes)
		for i := range some {
			if why, ok := reasons[i]; ok {
				refused(some[i], why)
			}
		}
	}
	return taken, c.Sync(ctx)
}

// lift has all further ids be higher than those of entries, for good, and returns
// what would have been the next.
func (c *Catalog) lift(ctx context.Context, entries []Entry) (first CNID, err error) {
	if err := c.await(ctx); err != nil {
		return 0, err
	}
	c.writing.Lock()
	first = c.next
	for i := range entries {
		c.next = max(c.next, entries[i].ID+1)
	}
	c.wanted = max(c.wanted, c.next)
	c.writing.Unlock()
	for {
		c.writing.Lock()
		enough := c.ceiling >= c.wanted
		c.writing.Unlock()
		if enough {
			return first, nil
		}
		if err := c.makeRoom(ctx); err != nil {
			return 0, err
		}
	}
}
