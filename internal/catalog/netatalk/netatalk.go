// Package netatalk reads what netatalk keeps about its volumes, so that they can
// move to dozo with their ids: its databases of CNIDs, the ids in the metadata
// attributes of files, and what it is known by to clients. It changes nothing.
// netatalk must be stopped, or the databases may lack what it did last.
package netatalk

import (
	"iter"

	"github.com/dozo-server/dozo/internal/catalog"
)

// Record is what netatalk's database holds of a node.
type Record struct {
	ID     catalog.CNID
	Parent catalog.CNID
	Name   string
	Dev    uint64 // changes with each boot of the machine; not to be relied on
	Ino    uint64
	Folder bool // not told by the SQL databases
}

// Seen is a node that a walk over the volume met. Folders come before what is in
// them.
type Seen struct {
	catalog.Entry                  // without ID; Parent is not looked at
	Folder        catalog.Identity // the folder it is in; zero for the volume's root
	Ino           uint64
	Hint          Hint // from its metadata attribute, if it has one
}

// Match finds out which nodes of a volume have which ids, by netatalk's own
// rules: a node has the id of the record with its parent, name and inode; one
// that was moved by a local program is found by its inode, and one whose inode
// changed (by a restore, say) by parent and name, if its metadata attribute names
// the same id. Where there is no record, the attribute alone is believed if it
// was made for this inode. Nodes of which nothing is known are left out. The
// Parent of an entry is the id of its folder, and 0 if that has none so far.
func Match(records iter.Seq2[Record, error], walk iter.Seq2[Seen, error]) ([]catalog.Entry, error) {
	type place struct {
		parent catalog.CNID
		name   string
	}
	byPlace, byIno := map[place]Record{}, map[uint64]Record{}
	free := map[catalog.CNID]bool{} // ids with a record that is not used yet
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		byPlace[place{r.Parent, r.Name}] = r
		byIno[r.Ino] = r
		free[r.ID] = true
	}
	recorded := len(free)
	folders := map[catalog.Identity]catalog.CNID{{}: catalog.Root}
	used := make(map[catalog.CNID]bool, recorded)
	var all []catalog.Entry
	for seen, err := range walk {
		if err != nil {
			return nil, err
		}
		e := seen.Entry
		e.Parent = folders[seen.Folder]
		here, isHere := byPlace[place{e.Parent, e.Name}]
		node, isNode := byIno[seen.Ino]
		hint := seen.Hint.ID
		switch {
		case isHere && here.Ino == seen.Ino:
			e.ID = here.ID
		case isNode && node.ID == hint:
			e.ID = node.ID
		case isHere && here.ID == hint:
			e.ID = here.ID
		case hint != 0 && !free[hint] && seen.Hint.Ino == seen.Ino:
			e.ID = hint
		}
		if e.ID < catalog.First || used[e.ID] {
			continue
		}
		used[e.ID] = true
		folders[e.Identity] = e.ID
		all = append(all, e)
	}
	return all, nil
}
