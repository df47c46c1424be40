package names

import (
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

const (
	// minOverrun is how many pending names are always looked at one by one,
	// whileBuilt so many that became pending while the folder was read: its
	// size is not known yet, and reading it again takes as long once more.
	minOverrun = 512
	whileBuilt = 1 << 15
)

// mustCheck notes that somebody else changed the entry name of d.
func (d *dir) mustCheck(name []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.creating; c != nil {
		c.sawForeign(d.t.fold, name)
	}
	if !d.collecting || d.overrun {
		d.wasEmpty() // for all that is known
		return
	}
	if _, ok := d.pending[string(name)]; ok {
		return
	}
	// Looking at an eighth of a folder costs as much as reading it.
	n, _ := d.size.load()
	most := max(minOverrun, n/8)
	if !d.ready.Load() {
		most = max(whileBuilt, most)
	}
	if len(d.pending) >= most {
		d.pending, d.overrun = nil, true
		d.invalid.Store(true)
		d.wasEmpty()
		return
	}
	if d.pending == nil {
		d.pending = map[string]struct{}{}
	}
	d.pending[string(name)] = struct{}{}
	d.dirty.Store(true)
}

// settle looks at each pending name of d: what is there is in the index then,
// and what is not is out of it, whatever the events said and in whatever order.
// It runs with content held exclusively.
func (r *request) settle(d *dir) error {
	if !d.dirty.Load() {
		return nil
	}
	d.mu.Lock()
	pending := d.pending
	d.pending = nil
	d.dirty.Store(false)
	d.mu.Unlock()

	n, err := r.node(d)
	if err != nil {
		d.invalid.Store(true)
		return err
	}
	if d.names != nil && len(pending) >= d.names.live {
		d.wasEmpty() // if all that was there went before the others came
	}
	for name := range pending {
		r.t.counts.rechecks.Add(1)
		st, err := n.StatAt(name)
		if r.mayFold(d) && !d.knows(name, err == nil) {
			d.invalid.Store(true)
			return nil
		}
		switch {
		case err == nil:
			if d.entered(name, st.Type) {
				r.foreignClash(d, name)
			}
			if st.Type == vfs.TypeDir {
				r.adopt(d, n, name, st)
			}
		case vfs.IsKind(err, vfs.KindNotExist):
			d.removed(name)
		default:
			d.invalid.Store(true)
			return err
		}
	}
	return nil
}

// foreignClash reports that a local process made another spelling of a name.
func (r *request) foreignClash(d *dir, name string) {
	names := []string{name}
	if d.names != nil { // else this was one name too many for the budget
		for other := range d.names.others(name) {
			if names = append(names, other); len(names) == clashNames {
				break
			}
		}
	}
	r.t.reportClash(d, names)
}

// adopt looks whether the folder name of d, whose attributes are st, is a known
// one that was last seen elsewhere.
func (r *request) adopt(d *dir, n *disk.Node, name string, st disk.Stat) {
	t := r.t
	t.shape.RLock()
	needless := d.children[name] != nil || t.adrift == 0
	t.shape.RUnlock()
	if needless {
		return
	}
	moves := d.moves.Load()
	h, err := n.HandleAt(name)
	if err != nil {
		return
	}
	t.shape.Lock()
	defer t.shape.Unlock()
	if c := t.dirs[dirID{st.Dev, h}]; c != nil {
		t.hang(d, name, c, moves)
	}
}
