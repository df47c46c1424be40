package names

import (
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// lookOnDisk is lookIn when there are only fingerprints: these prove that name
// is not there; if they don't, the disk is asked for this spelling, and then
// the folder is read for others.
func (r *request) lookOnDisk(d *dir, name string) (found, error) {
	if !d.prints.maybe([]byte(name)) {
		return found{}, errNotExist
	}
	n, err := r.node(d)
	if err != nil {
		return found{}, err
	}
	if d.folds.Load() != foldsItself {
		st, err := n.StatAt(name)
		if err == nil {
			return onDiskOnly(name, st.Type), nil
		}
		if !vfs.IsKind(err, vfs.KindNotExist) || r.exactly(name) {
			return found{}, err
		}
	}
	if d.wouldFit() { // now
		d.drop()
		if err := r.build(d); err != nil {
			return found{}, err
		}
		if d.names != nil {
			return r.lookIn(d, name)
		}
	}
	s := search{fold: r.t.fold, key: appendKey(r.t.fold, nil, name), given: mayBeGiven(name) && !r.plain}
	if d.prints.stale() {
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
	if s.found.name == "" || r.exact && !s.byGiven && s.found.name != name {
		return found{}, errNotExist
	}
	s.found.shown = Shown(s.found.name)
	return s.found, nil
}

// wouldFit reports whether the budget, which may have been smaller when d was
// read, has room for its names.
func (d *dir) wouldFit() bool {
	const each = 80 // bytes, more than almost all take
	return int64(d.prints.used)*each <= d.t.account.Limit()/2
}

// search looks for a name among all of a folder, with the preferences of
// index.find.
type search struct {
	fold    folding
	key     []byte
	given   bool // it can be one that is given
	found   found
	byGiven bool
	prints  *fingerprints // made anew on the way, if not nil
}

func (s *search) see(e disk.DirEntry) {
	if s.prints != nil {
		s.prints.add(e.Name)
	}
	var buf keyBuffer
	switch {
	case string(appendKey(s.fold, buf[:0], e.Name)) == string(s.key):
		if s.found.name == "" || s.byGiven || string(e.Name) < s.found.name {
			s.found, s.byGiven = found{name: string(e.Name), typ: e.Type}, false
		}
	case s.given && (s.found.name == "" || s.byGiven && string(e.Name) < s.found.name):
		if givenTo(s.fold, e.Name, mayHaveAlias(e.Name)).has(s.fold, s.key) {
			s.found, s.byGiven = found{name: string(e.Name), typ: e.Type}, true
		}
	}
}
