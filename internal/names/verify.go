package names

import (
	"time"
)

// look is what was known of an idle folder at some moment.
type look struct {
	changed time.Time // its change time
	changes uint64    // dir.changes then
}

// verify looks at some idle folders with an index. One whose change time moved
// although neither this process nor an event changed it is not told of
// everything, as on a disk that another machine writes to: it is read again,
// and an administrator should know. Suspect folders that are due are read, too.
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
			} else if names, _ := d.size.load(); d.clock.due(names) {
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
	changed, err := node.ChangeTime()
	if err != nil {
		return
	}
	r.t.drainAll()
	if d.changes.Load() != before || !d.watched() {
		d.look = look{}
		return
	}
	last := d.look
	d.look = look{changed, before}
	if last.changes == before && !last.changed.IsZero() && !last.changed.Equal(changed) {
		d.invalid.Store(true)
		r.t.counts.unannounced.Add(1)
		r.t.reportOf(Unannounced, d)
	}
}
