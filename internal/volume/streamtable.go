package volume

import (
	"strings"
	"sync"

	"github.com/dozo-server/dozo/vfs"
)

// streams are the open streams of a volume: all opens of one share it, and with it
// where it is.
type streams struct {
	mu   sync.Mutex
	last uint64
	open map[streamID]*stream // those that are not gone
}

// streamID tells streams apart: by their node and what their names compare by.
type streamID struct {
	node vfs.Key
	name string
}

// stream is a stream that somebody has open.
type stream struct {
	num uint64 // vfs.Key.Stream

	// Guarded by streams.mu.
	id   streamID
	uses int

	// Guarded by the lock of its node.
	name string // as on disk
	gone bool
	at   streamPlace
}

// sameStream reports whether a and b are spellings of one stream.
func (v *Volume) sameStream(a, b string) bool { return a == b || v.streamKey(a) == v.streamKey(b) }

func (v *Volume) streamKey(name string) string {
	if isFork(name) {
		return vfs.ResourceFork
	}
	return v.tree.Key(name)
}

// isFork reports whether name is a resource fork's, in any case: to Samba and to
// Macs it is one.
func isFork(name string) bool { return strings.EqualFold(name, vfs.ResourceFork) }

// get returns the open stream of f called name, with one more use; nil if nobody has
// it open.
func (s *streams) get(id streamID) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.open[id]
	if st != nil {
		st.uses++
	}
	return st
}

// add enters a stream that was found at a place, with one use.
func (s *streams) add(id streamID, name string, at streamPlace) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	st := &stream{num: s.last, id: id, uses: 1, name: name, at: at}
	if s.open == nil {
		s.open = map[streamID]*stream{}
	}
	s.open[id] = st
	return st
}

// drop ends a use of st and reports whether it was the last.
func (s *streams) drop(st *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.uses--
	if st.uses == 0 && s.open[st.id] == st {
		delete(s.open, st.id)
	}
	return st.uses == 0
}

// goes notes that what is called so is gone, for those that have it open. The
// caller holds the lock of the node.
func (s *streams) goes(id streamID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.open[id]; st != nil {
		st.gone = true
		delete(s.open, id)
	}
}

// goesAll is goes for all streams of a node but its fork.
func (s *streams) goesAll(node vfs.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, st := range s.open {
		if id.node == node && id.name != vfs.ResourceFork {
			st.gone = true
			delete(s.open, id)
		}
	}
}

// renamed notes that st has another name.
func (s *streams) renamed(st *stream, id streamID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, st.id)
	st.id = id
	s.open[id] = st
}
