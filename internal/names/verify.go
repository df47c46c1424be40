package names

import (
	"time"
)

// look is what was known of an idle folder at some moment.
type look struct {
	changed time.Time // its change time
	changes uint64    // dir.changes then
	odd     bool      // it had moved since, at one look, and nobody had told
}

// verify looks at some idle folders with an index. One whose change time moved
// although neither this process nor an event changed it, not even until the next
// look, is not told of everything, as on a disk that another machine writes to:
// it is read again, and an administrator should know. Suspect folders that are
// due are read, too.
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
	if d.changes.Load() != before || !d.watched() || !d.hangs() {
		d.look = look{}
		return
	}
	last := d.look
	switch {
	case last.changes != before || last.changed.IsZero() || last.changed.Equal(changed):
		d.look = look{changed: changed, changes: before}
	case !last.odd:
		// A call sets the time, then tells, then returns. This one may be on
		// its way, also one of ours that is not held up by content: it changes
		// the folder's attributes, or its own name.
		d.look.odd = true
	default:
		d.look = look{changed: changed, changes: before}
		d.invalid.Store(true)
		r.t.counts.unannounced.Add(1)
		r.t.reportOf(Unannounced, d)
	}
}

// hangs reports whether d is known to be where it was seen. Of a folder that is
// not, nobody tells that it is renamed or removed, which changes its time.
func (d *dir) hangs() bool {
	d.t.shape.RLock()
	defer d.t.shape.RUnlock()
	return d.attached || d.parent == nil
}
