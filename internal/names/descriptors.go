package names

import (
	"strings"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// descriptors bounds how many cached folders are open. A hand goes round over
// the open ones and closes the first that nobody has used since it last came
// by.
type descriptors struct {
	limit int

	mu   sync.Mutex
	open []*dir
	hand int
}

// opened notes that d has a node, and closes another's if there are too many.
func (s *descriptors) opened(d *dir) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for try := 0; len(s.open) >= s.limit && try < 2*len(s.open); try++ {
		s.hand %= len(s.open)
		if s.open[s.hand].giveUpNode() {
			s.open[s.hand] = d
			s.hand++
			return
		}
		s.hand++
	}
	s.open = append(s.open, d)
}

// closed notes that d, which leaves the cache, has no node any more.
func (s *descriptors) closed(d *dir) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.open {
		if other == d {
			last := len(s.open) - 1
			s.open[i] = s.open[last]
			s.open = s.open[:last]
			return
		}
	}
}

// release closes d, if it is not in use, before its turn has come.
func (s *descriptors) release(d *dir) {
	if d.giveUpNode() {
		s.closed(d)
	}
}

// giveUpNode closes the node of a folder that is not in use and could be
// opened again.
func (d *dir) giveUpNode() bool {
	d.t.shape.RLock()
	known := d.attached
	d.t.shape.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.recent || !known || d.pins.Load() > 0 {
		d.recent = false
		return false
	}
	if d.node != nil {
		d.node.Close()
		d.node = nil
	}
	return true
}

// giveNode lends d the node n if it has none, and else closes n.
func (d *dir) giveNode(n *disk.Node) *disk.Node {
	d.mu.Lock()
	d.recent = true
	if d.node != nil {
		defer n.Close()
		n = d.node
		d.mu.Unlock()
		return n
	}
	d.node = n
	d.mu.Unlock()
	d.t.descriptors.opened(d)
	return n
}

// node returns the open folder d, which r has pinned; it stays open until r
// ends.
func (r *request) node(d *dir) (*disk.Node, error) {
	d.mu.Lock()
	n := d.node
	d.recent = true
	d.mu.Unlock()
	if n != nil {
		return n, nil
	}
	return r.reopen(d)
}

// reopen opens d below the nearest folder above it that is open. When another
// is there by now, the request has to begin again.
func (r *request) reopen(d *dir) (*disk.Node, error) {
	var parts []string
	above := d
	d.t.shape.RLock()
	for {
		parts = append(parts, above.name)
		if above = above.parent; above == nil {
			d.t.shape.RUnlock()
			return nil, errAgain
		}
		above.mu.Lock()
		open := above.node != nil
		above.mu.Unlock()
		if open {
			break
		}
	}
	r.pin(above)
	d.t.shape.RUnlock()

	var path strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		path.WriteString(parts[i])
		if i > 0 {
			path.WriteByte('/')
		}
	}
	top, err := r.node(above)
	if err != nil {
		return nil, err
	}
	n, err := openFolder(top, path.String())
	if err == nil {
		id, _, err := identify(n)
		if err == nil && id == d.id {
			return d.giveNode(n), nil
		}
		n.Close()
	} else if !isGone(err) {
		return nil, err
	}
	d.t.shape.Lock()
	d.detach()
	d.t.shape.Unlock()
	return nil, errAgain
}

// openFolder opens the folder at path to be read and watched, or, where the
// process may not read it, as a mere place.
func openFolder(n *disk.Node, path string) (*disk.Node, error) {
	const flags = disk.Directory | disk.NoFollow | disk.NoSymlinks
	opened, err := n.Open(nil, path, disk.How{Flags: flags | disk.Read})
	if vfs.IsKind(err, vfs.KindAccess) {
		return n.Open(nil, path, disk.How{Flags: flags | disk.PathOnly})
	}
	return opened, err
}

// isGone reports whether err says that a folder is not where it was.
func isGone(err error) bool {
	switch vfs.KindOf(err) {
	case vfs.KindNotExist, vfs.KindNotDir, vfs.KindLoop, vfs.KindClosed, vfs.KindStale:
		return true
	}
	return false
}

// descriptorLimit returns how many folders may be open.
func descriptorLimit(asked int) int {
	if asked <= 0 {
		asked = disk.OpenLimit() / 4
	}
	return max(asked, 8)
}
