package names

import (
	"crypto/rand"
	"strings"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// To a disk that folds names a change of case is no change. So it goes through a
// third name:
//
//	.dozo-5QWM3ZKXH2VJ4TNB7RCEY6UDLA-Readme.txt
//	      random letters             what it is called else
//
// If the way on from there and the way back are both refused, or the machine
// stops between the two, a file keeps that name. Whoever reads the folder next
// gives the other one back.

const (
	thirdPrefix = ownFolder + "-"
	thirdRandom = 26 // letters of rand.Text
	// maxThird is the longest name, in bytes, that all file systems take. A
	// third name that would be longer does not tell what it stands for.
	maxThird = 143
)

// thirdName returns a name that nobody has, for an entry called name or, if that
// is "", for a further link that nobody misses.
func thirdName(name string) string {
	third := thirdPrefix + rand.Text()
	if name != "" && len(third)+1+len(name) <= maxThird {
		third += "-" + name
	}
	return third
}

// ofThird returns what the entry with a third name is called else.
func ofThird(third string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(third, thirdPrefix)
	if !ok || len(rest) < thirdRandom+2 || rest[thirdRandom] != '-' {
		return "", false
	}
	return rest[thirdRandom+1:], true
}

// byThirdName changes the case of a name on a disk to which that is no change.
func (m *moving) byThirdName() error {
	third := thirdName(m.name)
	if err := m.noReplace(m.name, third); err != nil {
		return err
	}
	m.from.changes.Add(1)
	err := m.noReplace(third, m.newName)
	if err != nil && m.noReplace(third, m.name) != nil {
		m.from.invalid.Store(true)
		m.r.t.follow(m.from, m.name, m.from, third, m.st.Type != vfs.TypeDir)
		m.r.t.reportOf(Misnamed, m.from, third, m.name)
	}
	return err
}

// thirds are the third names that were met in a folder, with their types.
type thirds map[string]vfs.Type

func (t thirds) see(e disk.DirEntry) {
	if len(e.Name) < len(thirdPrefix) || string(e.Name[:len(thirdPrefix)]) != thirdPrefix {
		return
	}
	if _, ok := ofThird(string(e.Name)); ok {
		t[string(e.Name)] = e.Type
	}
}

// giveBack gives the entries with third names in d, which was just read, their
// names back. It runs with content held exclusively.
func (r *request) giveBack(d *dir, n *disk.Node, left thirds) {
	if len(left) == 0 || !r.mayFold(d) {
		return // or they are none of ours
	}
	for third, typ := range left {
		name, _ := ofThird(third)
		if n.Rename(nil, third, n, name, true) != nil {
			r.t.reportOf(Misnamed, d, third, name)
			continue
		}
		d.clock.wrote(n)
		d.changes.Add(1)
		d.removed(third)
		d.entered(name, typ)
		r.t.follow(d, third, d, name, false)
	}
}
