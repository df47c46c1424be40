package catalog

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// Found is a node that a volume met.
type Found struct {
	Entry // ID is what Give sets

	// Linked says that the node has several names. The catalog keeps the one that
	// it was told first, or else listings would change it each time.
	Linked bool
}

// Give sets the ID of each node: the one it has, or a new one. A node that the
// catalog knows at another place is noted to be here. All that is new is written
// with one call, before any of it is answered.
//
// Errors: KindNoSpace, with ErrOutOfIDs when there are no numbers left; and those
// of the disk. After an error the nodes that have an ID are those that had one
// before the call, and the others have 0: what is known is known on a full disk,
// too.
func (c *Catalog) Give(ctx context.Context, nodes []Found) error {
	for i := range nodes {
		nodes[i].ID = 0
		if nodes[i].gone() {
			return vfs.NewError("catalog", nodes[i].Name, vfs.KindInvalid, nil)
		}
		if err := checkName(nodes[i].Name); err != nil {
			return err
		}
	}
	news, moved := 0, 0
	err := c.look(ctx, func(s *search) {
		news, moved = 0, 0
		for i := range nodes {
			switch e, ok := s.find(nodes[i].Identity); {
			case !ok:
				nodes[i].ID = 0
				news++
			default:
				nodes[i].ID = e.ID
				if nodes[i].movedFrom(&e) {
					moved++
				}
			}
		}
		c.idsUsed.Store(now())
	})
	if err != nil || news+moved == 0 {
		return err
	}
	known := make([]CNID, len(nodes))
	for i := range nodes {
		known[i] = nodes[i].ID
	}
	err = c.change(ctx, func(s *search) ([]Entry, error) { return c.giveLocked(s, nodes) })
	if err == nil || news == 0 {
		return nil // where they are is not noted, which costs no more than another attempt
	}
	for i := range nodes {
		nodes[i].ID = known[i]
	}
	return err
}

// movedFrom reports whether the catalog should note that f is not at e.
func (f *Found) movedFrom(e *Entry) bool {
	return !f.Linked && (f.Parent != e.Parent || f.Name != e.Name || f.Type != e.Type)
}

// giveLocked sets the ids of nodes and returns the entries that are new.
func (c *Catalog) giveLocked(s *search, nodes []Found) ([]Entry, error) {
	var changes []Entry
	given := map[Identity]CNID{} // a node may be there by two names
	next := c.next
	for i := range nodes {
		f := &nodes[i]
		e, ok := s.find(f.Identity)
		if !ok {
			if f.ID = given[f.Identity]; f.ID != 0 {
				continue
			}
			if next > last {
				return nil, vfs.NewError("catalog", f.Name, vfs.KindNoSpace, ErrOutOfIDs)
			}
			f.ID = next
			given[f.Identity] = next
			next++
			changes = append(changes, f.Entry)
			continue
		}
		if f.ID = e.ID; f.movedFrom(&e) {
			changes = append(changes, f.Entry)
		}
	}
	return changes, nil
}
