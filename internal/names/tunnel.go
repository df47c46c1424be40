package names

import (
	"sync"
	"time"
)

// A tunnel lets a name come back whole. Programs that know but 8.3 names save
// a file by removing it, or renaming it away, and making another one by the
// same short name; the long name would be lost. So what went is remembered for
// some seconds, and a short name that leads nowhere stands for what it led to
// before ([MS-FSA] 2.1.5.1.1, TunnelCacheList).
//
// It may be used by several goroutines at once.
type tunnel struct {
	mu   sync.Mutex
	gone []goneName // a ring once it is full
	next int        // place of the oldest
}

type goneName struct {
	dir         uint64 // dir.num
	short, name string
	at          int64 // in nanoseconds of now
}

const (
	tunnelTime = 15 * time.Second // as in Windows
	tunnelSize = 256
)

// enter notes that name went from d.
func (u *tunnel) enter(d *dir, name string) {
	short := d.t.ShortName(name)
	if short == "" {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	g := goneName{d.num, short, name, now()}
	if len(u.gone) < tunnelSize {
		u.gone = append(u.gone, g)
		return
	}
	u.gone[u.next] = g
	u.next = (u.next + 1) % tunnelSize
}

// leave returns the name that went from d last and was found as short.
func (u *tunnel) leave(d *dir, short string) (name string, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	oldest := now() - int64(tunnelTime)
	for _, g := range u.gone {
		if g.dir == d.num && g.at >= oldest && d.t.sameName(g.short, short) {
			name, ok, oldest = g.name, true, g.at
		}
	}
	return name, ok
}

// tunneled returns what a name that is to be made in d, and is free, shall be:
// itself, or the name that was found by it until some seconds ago, unless the
// caller means just this spelling. It runs with content held exclusively.
func (r *request) tunneled(d *dir, name string) string {
	if !r.t.fold.shorts || r.plain || !mayBeGiven(name) {
		return name
	}
	if long, ok := r.t.tunnel.leave(d, name); ok && r.mustBeFree(d, long) == nil {
		return long
	}
	return name
}
