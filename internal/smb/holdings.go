package smb

import "sync"

// holdings share out among users what the process has a limited number of: the
// descriptors that sessions and open files take.
type holdings struct {
	limit int // 0: no bound

	mu  sync.Mutex
	all int
	by  map[string]int // user
}

// take gives a user one more if he holds fewer than are left. So one user can
// have half of all, another half of the rest, and so on: whatever some of them
// do, there is something left for others.
func (h *holdings) take(user string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.limit > 0 && h.by[user] >= h.limit-h.all {
		return false
	}
	if h.by == nil {
		h.by = map[string]int{}
	}
	h.by[user]++
	h.all++
	return true
}

// give undoes take.
func (h *holdings) give(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all--
	if h.by[user]--; h.by[user] == 0 {
		delete(h.by, user)
	}
}
