package names

import (
	"time"

	"github.com/dozo-server/dozo/internal/disk"
)

// Some file systems can be put back to an earlier state, or forward to that of
// another machine, while they are mounted: ZFS by rollback and receive. The
// kernel tells nobody. So a folder of theirs is looked at by each request that
// enters it, and read again if its times can't come from the changes that are
// known.

// sight is what was seen of such a folder.
type sight struct {
	changed, modified time.Time
	changes           uint64 // dir.changes then
	look              uint64 // which look it was, in the order they began
}

// onItsWay is how old a change must be for its event to be missed, and waited for:
// the call that makes it sets the time, then tells, then returns.
const onItsWay = 100 * time.Millisecond

// explains reports whether the changes that are known explain how the folder is
// seen now after it was seen as s. If they don't yet, it is to be compared with
// s once more. A look that began before s proves nothing: s saw whatever was done
// before either.
func (s sight) explains(now sight, at time.Time) (explained, yet bool) {
	switch {
	case now.look < s.look:
		return true, false
	case now.changed.Before(s.changed):
		return false, true // nothing but a clock sets this time back
	case now.changes != s.changes, now.modified.Equal(s.modified):
		return true, true
	}
	return false, at.Sub(now.changed) >= onItsWay
}

// lookBack puts d in doubt if its file system was put back. r has drained d's
// queue.
func (r *request) lookBack(d *dir) error {
	n, err := r.node(d)
	if err != nil {
		return err
	}
	var last, now sight
	for again := range 2 {
		if again > 0 {
			d.awaitTold(n)
		}
		look, changes := d.looks.Add(1), d.changes.Load()
		st, err := n.Stat()
		if err != nil {
			if d == r.t.root {
				return err
			}
			return r.gone(d)
		}
		now = sight{st.Changed, st.Modified, changes, look}
		var explained bool
		if last, explained = d.compare(now); explained {
			return nil
		}
	}
	// Before now is noted: whoever compares with that takes d for right.
	r.t.shape.Lock()
	d.doubtChildren()
	r.t.shape.Unlock()
	d.invalid.Store(true)
	if _, indexed := d.size.load(); d.note(now, last) && indexed {
		r.t.counts.unannounced.Add(1)
		r.t.reportOf(Unannounced, d)
	}
	return nil
}

// awaitTold returns when each change of the folder n, which is d, that has set its
// times has told of itself, however long a slow disk keeps it. Those of others have
// the folder locked until then, ours d's content.
func (d *dir) awaitTold(n *disk.Node) {
	d.content.Lock()
	awaitChange(n)
	d.content.Unlock()
	d.q.drain()
}

// compare returns how d was seen last, and whether nothing but what is known led
// from there to now, or may have.
func (d *dir) compare(now sight) (last sight, explained bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	last, yet := d.sight, true
	if explained = last.changed.IsZero(); !explained {
		explained, yet = last.explains(now, time.Now())
	}
	if explained && yet {
		d.sight = now
	}
	return last, explained || !yet
}

// note notes how d is seen now, unless somebody else has since it was seen as last.
func (d *dir) note(now, last sight) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	first := d.sight == last
	if first {
		d.sight = now
	}
	return first
}

// restorable reports whether file systems of a kind can be put back while they
// are mounted.
func restorable(kind string) bool { return kind == "zfs" }
