package meter

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxFolders bounds how many folders are counted at a time. When there are more,
// the half that was used least is forgotten; what has more than 1/128 of all use
// stays.
const maxFolders = 256

// folders counts the uses of folders in the last minute.
type folders struct {
	mu  sync.Mutex
	now int64 // number of the running period
	by  map[string]*uses
}

// uses are those of one folder.
type uses struct{ in [periods]uint32 }

func (u *uses) sum() (n uint64) {
	for _, in := range u.in {
		n += uint64(in)
	}
	return n
}

// Folder is how much a folder was used.
type Folder struct {
	Path     string // below the share, as clients spell it; "" for its root
	Requests uint64 // in the last minute
}

// Use counts a request about what is in a folder, or about the folder itself.
func (m *Meter) Use(folder string, at time.Time) {
	s := &m.folders
	n := number(at)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != s.now && n != s.now-1 {
		s.advance(n)
	}
	u := s.by[folder]
	if u == nil {
		if len(s.by) >= maxFolders {
			s.forget()
		}
		u = &uses{}
		if s.by == nil {
			s.by = map[string]*uses{}
		}
		s.by[strings.Clone(folder)] = u // it is a part of a longer string
	}
	u.in[s.now%periods]++
}

// advance begins the period n. It is called with mu held.
func (s *folders) advance(n int64) {
	first := max(s.now+1, n-periods+1)
	if n < s.now { // the clock was set back
		first = n - periods + 1
	}
	for path, u := range s.by {
		for i := first; i <= n; i++ {
			u.in[(i%periods+periods)%periods] = 0
		}
		if u.sum() == 0 {
			delete(s.by, path)
		}
	}
	s.now = n
}

// forget makes room. It is called with mu held.
func (s *folders) forget() {
	all := s.sorted()
	for _, f := range all[len(all)/2:] {
		delete(s.by, f.Path)
	}
}

// sorted returns all folders, those used most first.
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

// Folders returns the folders used most in the last minute, at most so many.
func (m *Meter) Folders(now time.Time, most int) []Folder {
	s := &m.folders
	n := number(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != s.now && n != s.now-1 {
		s.advance(n)
	}
	all := s.sorted()
	return all[:min(len(all), most)]
}
