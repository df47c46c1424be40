package catalog

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"unicode/utf8"
)

// All returns all entries by their ids. Of those that come, go or change
// meanwhile any may be missing, or be as it was.
func (c *Catalog) All(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := c.Sync(ctx); err != nil {
			yield(Entry{}, err)
			return
		}
		for from := CNID(0); ; {
			entries, err := c.some(ctx, from)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range entries {
				if !e.gone() && !yield(e, nil) {
					return
				}
				from = e.ID + 1
			}
			if len(entries) == 0 {
				return
			}
		}
	}
}

// some returns entries with ids from one on, ended ones among them, and none
// only if there are no more.
func (c *Catalog) some(ctx context.Context, from CNID) ([]Entry, error) {
	const most = 4096
	for {
		c.mu.RLock()
		turn, rotten := c.turn, c.rotten
		c.mu.RUnlock()
		if rotten {
			return nil, beingRebuilt
		}
		entries, err := c.table.Range(ctx, from, last, most)
		if err != nil {
			return nil, c.noteDamage(err)
		}
		to := last
		if len(entries) == most {
			to = entries[most-1].ID
		}
		c.mu.RLock()
		if c.turn != turn {
			c.mu.RUnlock()
			continue
		}
		found := map[CNID]Entry{}
		for _, e := range entries {
			found[e.ID] = e
		}
		for _, changes := range []map[CNID]Entry{c.applying, c.recent} {
			for id, e := range changes {
				if id >= from && id <= to {
					found[id] = e
				}
			}
		}
		c.mu.RUnlock()
		return inOrder(found), nil
	}
}

// line is an entry as Export writes it.
type line struct {
	ID       CNID   `json:"id"`
	Parent   CNID   `json:"parent"`
	Type     string `json:"type"`
	Name     string `json:"name,omitempty"`
	NameHex  string `json:"name_hex,omitempty"` // a name that is no UTF-8
	Identity string `json:"identity"`
}

var typeNames = [...]string{"", "file", "folder", "symlink", "other"}

// Export writes all entries to w, a JSON object a line.
func (c *Catalog) Export(ctx context.Context, w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for e, err := range c.All(ctx) {
		if err != nil {
			return err
		}
		l := line{ID: e.ID, Parent: e.Parent, Name: e.Name, Identity: hex.EncodeToString(e.Identity[:])}
		if int(e.Type) < len(typeNames) {
			l.Type = typeNames[e.Type]
		}
		if !utf8.ValidString(e.Name) {
			l.Name, l.NameHex = "", hex.EncodeToString([]byte(e.Name))
		}
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
