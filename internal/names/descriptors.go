package names

import (
	"strings"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Descriptors bounds how many cached folders are open, in all Trees that share
// it. A hand goes round over the open ones and closes the first that nobody has
// used since it last came by; those that can't be done without stay, even
// beyond the limit.
type Descriptors struct {
	limit int

	mu   sync.Mutex // above Tree.shape
	open []*dir
	hand int
}

// NewDescriptors bounds open folders to limit; 0 means a quarter of what the
// process may open.
func NewDescriptors(limit int) *Descriptors {
	if limit <= 0 {
		limit = disk.OpenLimit() / 4
	}
	return &Descriptors{limit: max(limit, 8)}
}

// Limit returns how many folders may be open, Open how many are.
func (s *Descriptors) Limit() int { return s.limit }

func (s *Descriptors) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// opened notes that d has a node, and closes others' if there are too many.
func (s *Descriptors) opened(d *dir) {
	s.mu.Lock()
	given := s.take(d)
	s.mu.Unlock()
	for _, n := range given { // what waits for a disk does so here
		n.Close()
	}
}

// maxSteps bounds how far the hand goes at a time: all Trees wait for it. Where
// it finds none in so many, the limit is exceeded until it has come round.
const maxSteps = 256

// take is opened; it returns the nodes to close.
func (s *Descriptors) take(d *dir) (given []*disk.Node) {
	if d.place != 0 {
		return nil
	}
	for step := 0; len(s.open) >= s.limit && step < min(2*len(s.open), maxSteps); step++ {
		s.hand %= len(s.open)
		other := s.open[s.hand]
		s.hand++
		if n, ok := other.giveUpNode(); ok {
			s.remove(other)
			if n != nil {
				given = append(given, n)
			}
		}
	}
	s.open = append(s.open, d)
	d.place = len(s.open)
	return given
}

// closed notes that d, which leaves the cache, has no node any more.
func (s *Descriptors) closed(d *dir) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(d)
}

func (s *Descriptors) remove(d *dir) {
	if d.place == 0 {
		return
	}
	last := s.open[len(s.open)-1]
	s.open[d.place-1] = last
	s.open = s.open[:len(s.open)-1]
	last.place, d.place = d.place, 0
}

// release closes d, if it is not in use, before its turn has come.
func (s *Descriptors) release(d *dir) {
	s.mu.Lock()
	n, ok := d.giveUpNode()
	if ok {
		s.remove(d)
	}
	s.mu.Unlock()
	if n != nil {
		n.Close()
	}
}

// leave notes that t, which is closed, has no open folders any more.
func (s *Descriptors) leave(t *Tree) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.open) - 1; i >= 0; i-- {
		if d := s.open[i]; d.t == t {
			s.remove(d)
		}
	}
}

// giveUpNode takes the node of a folder that is not in use and could be opened
// again. It is nil if the folder was not open.
func (d *dir) giveUpNode() (n *disk.Node, ok bool) {
	d.t.shape.RLock()
	known := d.attached
	d.t.shape.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.recent || !known || d.pins.Load() > 0 {
		d.recent = false
		return nil, false
	}
	n, d.node = d.node, nil
	return n, true
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
	d.t.o.Descriptors.opened(d)
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
