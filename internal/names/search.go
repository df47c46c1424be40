package names

import (
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// lookOnDisk is lookIn when there are only fingerprints: these prove that name
// is not there; if they don't, the disk is asked for this spelling, and then
// the folder is read for others. Where the disk folds names that is done, too,
// for a name that the disk has and the index does not: to see how it is stored.
func (r *request) lookOnDisk(d *dir, name string) (found, error) {
	abridged := d.names == nil
	maybe, folds := !abridged || d.prints.maybe([]byte(name)), r.mayFold(d)
	if !maybe && !folds {
		return found{}, errNotExist
	}
	n, err := r.node(d)
	if err != nil {
		return found{}, err
	}
	st, err := n.StatAt(name)
	there := err == nil
	switch {
	case there && (!folds || abridged && r.isObvious(d, n, name)):
		return onDiskOnly(name, st.Type), nil
	case !there && (!vfs.IsKind(err, vfs.KindNotExist) || !maybe || r.exactly(name)):
		return found{}, err
	}
	if abridged && d.wouldFit() { // now
		d.drop()
		if err := r.build(d); err != nil {
			return found{}, err
		}
		if d.names != nil {
			return r.lookIn(d, name)
		}
	}
	s := search{fold: r.t.fold, name: name, key: appendKey(r.t.fold, nil, name), there: there, ino: st.Ino}
	s.given = mayBeGiven(name) && !r.plain && !there
	if abridged && d.prints.stale() {
		s.prints = newFingerprints(r.t.fold, r.t.seed)
	}
	r.t.counts.searches.Add(1)
	if err := readAll(n, s.see); err != nil {
		return found{}, err
	}
	if s.prints != nil {
		d.prints = s.prints
		d.charge()
	}
	switch {
	case there && (s.how == 0 || s.how == byNode && s.links > 1):
		return onDiskOnly(name, st.Type), nil // there is no telling how it is stored
	case s.how == 0, s.how == byKey && r.exact && !there, r.hides(d, s.found.name):
		return found{}, errNotExist
	}
	s.found.shown = Shown(s.found.name)
	return s.found, nil
}

// wouldFit reports whether the budget, which may have been smaller when d was
// read, has room for its names.
func (d *dir) wouldFit() bool {
	const each = 80 // bytes, more than almost all take
	return int64(d.prints.used)*each <= d.mayTake()
}

// search looks for a name among all of a folder, with the preferences of
// index.find, and those of the disk where that has such a name.
type search struct {
	fold  folding
	name  string
	key   []byte
	given bool   // it can be one that is given
	there bool   // the disk has it
	ino   uint64 // and this is its node

	found  found
	how    similarity
	links  int           // names of the node
	prints *fingerprints // made anew on the way, if not nil
}

// similarity is how a name meets the one that is searched for.
type similarity uint8

// The ways, best last.
const (
	byGiven similarity = iota + 1 // that one is given to it
	byKey                         // their keys are the same
	byNode                        // the disk says so
	byBoth
	bySpelling
)

func (s *search) see(e disk.DirEntry) {
	if s.prints != nil {
		s.prints.add(e.Name)
	}
	how := s.similar(e)
	if how == byNode || how == byBoth {
		s.links++
	}
	if how > s.how || how > 0 && how == s.how && string(e.Name) < s.found.name {
		s.found, s.how = found{name: string(e.Name), typ: e.Type}, how
	}
}

func (s *search) similar(e disk.DirEntry) similarity {
	var buf keyBuffer
	node := s.there && e.Ino == s.ino
	switch key := string(appendKey(s.fold, buf[:0], e.Name)) == string(s.key); {
	case key && s.there && string(e.Name) == s.name:
		return bySpelling
	case key && node:
		return byBoth
	case node:
		return byNode
	case key:
		return byKey
	case s.given && givenTo(s.fold, e.Name, mayHaveAlias(e.Name)).has(s.fold, s.key):
		return byGiven
	}
	return 0
}
