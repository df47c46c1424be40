package meter

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// maxFolders bounds how many folders are counted at a time. When there are more,
// the half that was used least is forgotten; what has more than 1/128 of all use
// stays.
const maxFolders = 256

// folders are those that were used in the last minute.
type folders struct {
	mu sync.Mutex
	by map[string]*Uses
}

// Uses counts the requests about what is in a folder, or about the folder itself.
// Who has a file open keeps those of its folder, so that a request need not look
// for them.
type Uses struct {
	path   string
	in     [periods]atomic.Uint32
	absent atomic.Bool // from by: forgotten
}

func (u *Uses) sum() (n uint64) {
	for i := range u.in {
		n += uint64(u.in[i].Load())
	}
	return n
}

// Folder is how much a folder was used.
type Folder struct {
	Path     string // below the share, as clients spell it; "" for its root
	Requests uint64 // in the last minute
}

// Uses returns the count of a folder.
func (m *Meter) Uses(folder string) *Uses {
	s := &m.folders
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.by[folder]; u != nil {
		return u
	}
	u := &Uses{path: strings.Clone(folder)} // it is a part of a longer string
	s.enter(u)
	return u
}

// present is u or, if that was forgotten and others have one now, theirs.
func (s *folders) present(u *Uses) *Uses {
	if !u.absent.Load() {
		return u
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.by[u.path]; other != nil {
		return other
	}
	s.enter(u)
	return u
}

// enter begins to count a folder. It is called with mu held.
func (s *folders) enter(u *Uses) {
	if len(s.by) >= maxFolders {
		all := s.sorted()
		for _, f := range all[len(all)/2:] {
			s.forget(f.Path)
		}
	}
	if s.by == nil {
		s.by = map[string]*Uses{}
	}
	u.absent.Store(false)
	s.by[u.path] = u
}

// forget ends that. It is called with mu held.
func (s *folders) forget(path string) {
	u := s.by[path]
	delete(s.by, path)
	u.absent.Store(true)
	for i := range u.in {
		u.in[i].Store(0)
	}
}

// clear takes back what was counted in a period, and forgets who has nothing else.
func (s *folders) clear(part int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, u := range s.by {
		u.in[part].Store(0)
		if u.sum() == 0 {
			s.forget(path)
		}
	}
}

// sorted returns all folders, those used most first. It is called with mu held.
func (s *folders) sorted() []Folder {
	all := make([]Folder, 0, len(s.by))
	for path, u := range s.by {
		all = append(all, Folder{path, u.sum()})
	}
	slices.SortFunc(all, func(a, b Folder) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Path, b.Path))
	})
	return all
}
