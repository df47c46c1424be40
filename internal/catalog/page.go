package catalog

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/vfs"
)

// Memory keeps of the table what was used last, by pages of ids that follow one
// another: what is in one folder was mostly given its ids together. The ids of
// all identities are kept apart, so that a file that is new is known to be.

// pageSize is how many ids a page has.
const pageSize = 128

// page is what the table holds of pageSize ids. It does not change.
type page struct {
	used atomic.Int64     // when, in nanoseconds since 1970
	at   [pageSize]uint32 // where in data an id is, from 1; 0: there is no such id
	data string           // without pointers: there may be very many
}

// On a page stand parent, type, identity and size of the name, then the name.
const pageEntry = 4 + 1 + len(Identity{}) + 2

// newPage makes a page of entries; ended ones are left out.
func newPage(entries []Entry) *page {
	size := 0
	for i := range entries {
		size += pageEntry + len(entries[i].Name)
	}
	p, b := &page{}, make([]byte, 0, size)
	for i := range entries {
		e := &entries[i]
		if e.gone() {
			continue
		}
		p.at[e.ID%pageSize] = uint32(len(b)) + 1
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Parent))
		b = append(b, byte(e.Type))
		b = append(b, e.Identity[:]...)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Name)))
		b = append(b, e.Name...)
	}
	p.data = string(b)
	p.used.Store(now())
	return p
}

// entry returns the entry with an id of this page. It shares memory with p.
func (p *page) entry(id CNID) (e Entry, ok bool) {
	at := p.at[id%pageSize]
	if at == 0 {
		return e, false
	}
	b := p.data[at-1:]
	e.ID = id
	e.Parent = CNID(b[0]) | CNID(b[1])<<8 | CNID(b[2])<<16 | CNID(b[3])<<24
	e.Type = vfs.Type(b[4])
	copy(e.Identity[:], b[5:])
	size := int(b[pageEntry-2]) | int(b[pageEntry-1])<<8
	e.Name = b[pageEntry : pageEntry+size]
	return e, true
}

// with returns the page with changes made. p may be nil: an empty one.
func (p *page) with(changes []Entry) *page {
	changed := map[CNID]bool{}
	for i := range changes {
		changed[changes[i].ID%pageSize] = true
	}
	all := changes
	for id := range CNID(pageSize) {
		if p == nil || changed[id] {
			continue
		}
		if e, ok := p.entry(id); ok {
			all = append(all[:len(all):len(all)], e)
		}
	}
	return newPage(all)
}

// Sizes for the budget, in bytes, and what it takes to make things again.
const (
	idBytes    = 36
	costOfPage = 200 * time.Microsecond
	costOfID   = 2 * time.Microsecond
)

func (p *page) bytes() int64 { return int64(pageSize*4+64) + int64(len(p.data)) }

// setPageLocked puts p, which may be nil, in the place of what is there.
func (c *Catalog) setPageLocked(number CNID, p *page) {
	if old := c.pages[number]; old != nil {
		c.account.Add(-old.bytes())
	}
	if p == nil {
		delete(c.pages, number)
		return
	}
	c.pages[number] = p
	c.account.Add(p.bytes())
}

// setIDLocked notes the id of an identity; 0 is none.
func (c *Catalog) setIDLocked(i Identity, id CNID) {
	before := len(c.ids)
	if id == 0 {
		delete(c.ids, i)
	} else {
		c.ids[i] = id
	}
	if more := len(c.ids) - before; more != 0 {
		c.account.Add(int64(more) * idBytes)
	}
}

// allIDs is the item of all identities.
type allIDs struct{}

// Items implements budget.Keeper.
func (c *Catalog) Items() []budget.Item {
	c.mu.RLock()
	defer c.mu.RUnlock()
	now := now()
	items := make([]budget.Item, 0, len(c.pages)+1)
	for number, p := range c.pages {
		items = append(items, budget.Item{Idle: float64(now-p.used.Load()) / float64(costOfPage), Bytes: p.bytes(), What: number})
	}
	if n := len(c.ids) - len(c.recent) - len(c.applying); n > 0 {
		items = append(items, budget.Item{
			Idle:  float64(now-c.idsUsed.Load()) / float64(time.Duration(n)*costOfID),
			Bytes: int64(n) * idBytes, What: allIDs{}})
	}
	return items
}

// Drop implements budget.Keeper.
func (c *Catalog) Drop(i budget.Item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number, ok := i.What.(CNID); ok {
		c.setPageLocked(number, nil)
		return
	}
	c.account.Add(-int64(len(c.ids)) * idBytes)
	c.ids, c.whole, c.loaded = map[Identity]CNID{}, false, 0
	c.loadAfter.Store(now() + int64(time.Minute)) // or it would come and go
	for _, changes := range []map[CNID]Entry{c.applying, c.recent} {
		for _, e := range changes {
			if !e.gone() {
				c.setIDLocked(e.Identity, e.ID)
			}
		}
	}
}

// now is what times of use are compared by.
func now() int64 { return time.Now().UnixNano() }
