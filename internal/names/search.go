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
		if !vfs.IsKind(err, vfs.KindNotExist) || r.exact {
			return found{}, err
		}
	}
	s := search{fold: r.t.fold, key: appendKey(r.t.fold, nil, name)}
	if d.prints.stale() {
		s.prints = newFingerprints(r.t.fold, r.t.seed)
	}
	if err := readAll(n, s.see); err != nil {
		return found{}, err
	}
	if s.prints != nil {
		d.prints = s.prints
		d.charge()
	}
	if s.found.name == "" {
		return found{}, errNotExist
	}
	s.found.shown = Shown(s.found.name)
	return s.found, nil
}

// search looks for a name among all of a folder, with the preferences of
// index.find.
type search struct {
	fold    folding
	key     []byte
	found   found
	aliased bool
	prints  *fingerprints // made anew on the way, if not nil
}

func (s *search) see(e disk.DirEntry) {
	if s.prints != nil {
		s.prints.add(e.Name)
	}
	var buf keyBuffer
	switch {
	case string(appendKey(s.fold, buf[:0], e.Name)) == string(s.key):
		if s.found.name == "" || s.aliased || string(e.Name) < s.found.name {
			s.found, s.aliased = found{name: string(e.Name), typ: e.Type}, false
		}
	case s.found.name == "" && (needsAlias(e.Name) || hasPrivate(e.Name)):
		if string(appendKey(s.fold, buf[:0], alias(string(e.Name)))) == string(s.key) {
			s.found, s.aliased = found{name: string(e.Name), typ: e.Type}, true
		}
	}
}
