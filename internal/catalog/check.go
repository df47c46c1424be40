package catalog

import (
	"context"
	"iter"

	"github.com/dozo-server/dozo/internal/disk"
)

// Finding is how an entry and the disk differ.
type Finding struct {
	Kind  FindingKind
	Entry Entry // of the catalog; without an ID for Unknown
	Disk  Entry // what is on the disk, with its ID if it has one; zero for Missing
}

// FindingKind says what kind of difference there is.
type FindingKind int

// The kinds of differences. None of them is a fault: local programs make, move
// and delete files, and the catalog hears of it when a client meets them.
const (
	Unknown FindingKind = iota + 1 // on the disk, without an id so far
	Moved                          // on the disk, at another place or by another name
	Missing                        // in the catalog, and nowhere on the disk
)

// Check compares the catalog with what a walk over the whole volume found, the
// entries of which have no IDs, and tells report of each difference. A node with
// several names is Moved only if it is at none of its places. It changes nothing.
// Memory: 24 bytes for each entry.
func (c *Catalog) Check(ctx context.Context, walk iter.Seq2[Entry, error], report func(Finding)) error {
	met := map[CNID]bool{}        // true: where the catalog has it
	elsewhere := map[CNID]Entry{} // where the others are
	for found, err := range walk {
		if err != nil {
			return err
		}
		var e Entry
		known := false
		if err := c.look(ctx, func(s *search) { e, known = s.find(found.Identity) }); err != nil {
			return err
		}
		if !known {
			report(Finding{Kind: Unknown, Disk: found})
			continue
		}
		found.ID = e.ID
		if met[e.ID] = met[e.ID] || e == found; met[e.ID] {
			delete(elsewhere, e.ID)
		} else {
			elsewhere[e.ID] = found
		}
	}
	for e, err := range c.All(ctx) {
		if err != nil {
			return err
		}
		if _, ok := met[e.ID]; !ok {
			report(Finding{Kind: Missing, Entry: e})
		} else if found, ok := elsewhere[e.ID]; ok {
			report(Finding{Kind: Moved, Entry: e, Disk: found})
		}
	}
	return nil
}

// Verified is what Verify found in the files of a catalog.
type Verified struct {
	Files      int
	Records    int   // in the log
	Unreadable int64 // bytes of the log that hold no record
	Entries    int   // that the log comes to
	Differing  int   // of these and of the table's, those that the other has not or otherwise
}

// OK reports whether nothing is wrong.
func (v Verified) OK() bool { return v.Unreadable == 0 && v.Differing == 0 }

// Verify reads the whole log and compares it with the table. The catalog in the
// folder must not be open, and have been closed: it changes nothing.
func Verify(ctx context.Context, folder string) (v Verified, err error) {
	root, err := disk.OpenRoot(folder)
	if err != nil {
		return v, err
	}
	defer root.Close()
	t, err := openSQLite(folder)
	if err != nil {
		return v, err
	}
	defer t.Close()
	return verify(ctx, &Catalog{folder: root, table: t})
}

func verify(ctx context.Context, c *Catalog) (v Verified, err error) {
	f, err := listFiles(c.folder)
	if err != nil {
		return v, err
	}
	if c.tag, _, err = c.readTag(f); err != nil {
		return v, err
	}
	r := &reading{c: c}
	defer r.close()
	if err := r.read(f, place{}, func() error { return ctx.Err() }); err != nil {
		return v, err
	}
	if r.segment.file != nil {
		r.segment.file.Close()
	}
	v = Verified{Files: len(f.names()), Records: r.count, Unreadable: r.lost}
	for _, e := range r.changes {
		if !e.gone() {
			v.Entries++
		}
	}
	for from := CNID(0); ; {
		const some = 4096
		entries, err := c.table.Range(ctx, from, last, some)
		if err != nil {
			return v, err
		}
		for _, e := range entries {
			if logged, ok := r.changes[e.ID]; !ok || logged != e {
				v.Differing++
			}
			delete(r.changes, e.ID)
			from = e.ID + 1
		}
		if len(entries) < some {
			break
		}
	}
	for _, e := range r.changes {
		if !e.gone() {
			v.Differing++
		}
	}
	return v, nil
}
