package share

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/vfs"
)

// maxNoticed bounds the bytes that all watches of a share keep between
// requests: memory that clients take.
const maxNoticed = 64 << 20

// watches are the watches of a share. They are found by the path of their
// folder, so that what a change costs does not depend on how many there are.
//
// Its lock may be taken under that of a shard, and none but File.Path's own is
// taken under it.
type watches struct {
	count atomic.Int64 // what all who change something look at first

	mu      sync.Mutex
	byPath  map[string]*watch // lists
	noticed int               // bytes kept in all
	fresh   []*watch          // report's: those that were given something
}

// enter puts w where changes in its folder find it.
func (s *watches) enter(w *watch) {
	if s.byPath == nil {
		s.byPath = map[string]*watch{}
	}
	w.path = w.open.place()
	w.next = s.byPath[w.path]
	s.byPath[w.path] = w
}

// leave undoes enter.
func (s *watches) leave(w *watch) {
	first := s.byPath[w.path]
	for at := &first; *at != nil; at = &(*at).next {
		if *at == w {
			*at = w.next
			break
		}
	}
	if s.byPath[w.path] = first; first == nil {
		delete(s.byPath, w.path)
	}
	w.next = nil
}

// moved finds the watches again whose folders were at or below the path from,
// after that was renamed.
func (s *watches) moved(from string) {
	var all []*watch
	for path, w := range s.byPath {
		if rest, ok := strings.CutPrefix(path, from); ok && (rest == "" || rest[0] == '/') {
			for ; w != nil; w = w.next {
				all = append(all, w)
			}
		}
	}
	for _, w := range all {
		s.leave(w)
		s.enter(w)
	}
}

// deliver gives the first request that waits what there is.
func (s *watches) deliver(w *watch) {
	if len(w.waiting) == 0 || w.notices.Empty() {
		return
	}
	q := w.waiting[0]
	s.noticed -= w.notices.Size()
	q.changes, q.missed = w.notices.Take(q.room)
	w.waiting = w.waiting[1:]
	close(q.done)
}

// giveUp ends the waiting of q, and reports false if it has ended already.
func (s *watches) giveUp(w *watch, q *watcher) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(w.waiting, q)
	if i < 0 {
		return false
	}
	w.waiting = slices.Delete(w.waiting, i, i+1)
	return true
}

// fail ends the requests that wait, with an error.
func (s *watches) fail(w *watch, kind vfs.Kind) {
	for _, q := range w.waiting {
		q.failure = kind
		close(q.done)
	}
	w.waiting = nil
}

// doomed ends the requests of a watch whose folder is to be deleted.
func (s *watches) doomed(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(w, vfs.KindDeletePending)
}

// end ends a watch, whose open was closed.
func (s *watches) end(w *watch) {
	s.mu.Lock()
	s.leave(w)
	s.noticed -= w.notices.Size()
	s.fail(w, vfs.KindClosed)
	w.ended = true
	stop := w.stop
	s.mu.Unlock()
	s.count.Add(-1)
	if stop != nil {
		stop()
	}
}
