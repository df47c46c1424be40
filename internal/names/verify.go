package names

import (
	"time"
)

// look is what was known of an idle folder at some moment.
type look struct {
	modified time.Time // when its entries changed last, by its own account
	changes  uint64    // dir.changes then
	odd      bool      // it had moved since, at one look, and nobody had told
}

// verify looks at some idle folders with an index. One whose time moved although
// neither this process nor an event changed it, not even until the next look, is
// not told of everything, as on a disk that another machine writes to: it is read
// again, and an administrator should know. Suspect folders that are due are read,
// too.
//
// The time is that of modification. The change time moves for reasons that no
// event tells of, and that concern no entry: the folder got another name, or
// another time of access.
func (t *Tree) verify() {
	n := 0
	for _, d := range t.allDirs() {
		if _, indexed := d.size.load(); !indexed || !d.content.TryLock() {
			continue
		}
		r := request{t: t}
		if r.hold(d) {
			if d.watched() {
				r.verify(d)
			} else if names, _ := d.size.load(); d.clock.due(names, time.Now()) {
				r.build(d)
			}
		}
		r.end()
		d.content.Unlock()
		if n++; n == verifyDirs {
			return
		}
	}
}

// verify runs with content held exclusively.
func (r *request) verify(d *dir) {
	d.mu.Lock()
	node := d.node
	d.mu.Unlock()
	if node == nil {
		return // not worth opening it
	}
	r.t.drainAll()
	before := d.changes.Load()
	st, err := node.Stat()
	if err != nil {
		return
	}
	r.t.drainAll()
	if d.changes.Load() != before || !d.watched() {
		d.look = look{}
		return
	}
	seen, last := look{modified: st.Modified, changes: before}, d.look
	switch {
	case last.changes != before || last.modified.IsZero() || last.modified.Equal(st.Modified):
		d.look = seen
	case !last.odd:
		d.look.odd = true // a call that is on its way has set the time, and will tell
	default:
		d.look = seen
		d.invalid.Store(true)
		r.t.counts.unannounced.Add(1)
		r.t.reportOf(Unannounced, d)
	}
}
