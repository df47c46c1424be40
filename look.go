package dozo

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/share"
)

// lookTime is how long a snapshot waits for the disks of shares. Who asks because
// one hangs is to see that, and all the rest.
const lookTime = 2 * time.Second

// listTime is how long a list of shares waits for their disks.
const listTime = 500 * time.Millisecond

// seen is what a look at a share found.
type seen struct {
	share      *share.Share // nil when it was never served
	names      *names.Tree  // nil where it is no folder
	fileSystem string       // that it is on
	refused    error        // why it is not served, nil when it is
}

// looking are the looks at a share, of which there is one at a time: one that hangs
// holds no more than its own goroutine.
type looking struct {
	mu   sync.Mutex
	last seen
	ends chan struct{} // closed when the look under way ends; nil without one
}

var errSilent = errors.New("its disk does not answer")

// lookAt looks at all shares at once and tells what they are or, where a disk does
// not answer in time, what they were.
func lookAt(all []*mounted, limit time.Duration) []seen {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ends := make([]<-chan struct{}, len(all))
	for i, m := range all {
		ends[i] = m.look()
	}
	found := make([]seen, len(all))
	for i, m := range all {
		silent := false
		select {
		case <-ends[i]:
		case <-ctx.Done():
			silent = true
		}
		m.looking.mu.Lock()
		found[i] = m.looking.last
		if silent && m.looking.ends == ends[i] {
			found[i].names, found[i].refused = nil, errSilent
		}
		m.looking.mu.Unlock()
	}
	return found
}

// look begins a look unless one is under way, and returns what is closed when it
// ends.
func (m *mounted) look() <-chan struct{} {
	l := &m.looking
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends == nil {
		ends := make(chan struct{})
		l.ends = ends
		go func() {
			s := m.state()
			l.mu.Lock()
			l.last, l.ends = s, nil
			l.mu.Unlock()
			close(ends)
		}()
	}
	return l.ends
}

// state looks at the share, for as long as its disk takes.
func (m *mounted) state() seen {
	m.current()
	m.mu.Lock()
	defer m.mu.Unlock()
	s := seen{share: m.share, fileSystem: m.place.Load().FileSystem, refused: m.refused}
	if m.tree != nil {
		s.names = m.tree.Names()
	}
	return s
}
