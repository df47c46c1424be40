// Package faultdisk makes a disk fail: calls are refused with an errno, moved
// bytes are cut short and room runs out, by rules. It also counts calls, for
// tests of how few an operation needs.
//
//	faults := faultdisk.New()
//	root, err := disk.OpenRootWith(dir, faults)
//	faults.Add(faultdisk.Rule{Op: disk.OpWrite, After: 3, Errno: unix.ENOSPC})
package faultdisk

import (
	"path"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
)

// Rule says which calls fail, and how.
type Rule struct {
	Op    disk.Op // "" is any
	Path  string  // pattern of path.Match, from the root; "" is any
	After int     // how many matching calls go well before the first that fails
	Times int     // how many fail then; 0 is all
	Every int     // above 1: of these only every nth

	Errno unix.Errno // 0: the call is made
	Limit int        // most bytes that it moves, if above 0
}

// Disk is a disk.Faults with rules. The first rule that matches a call and has
// its turn decides. It is safe for concurrent use.
type Disk struct {
	mu    sync.Mutex
	rules []*ruleState
	room  int64 // bytes that may still be written; below 0: any
	calls map[disk.Op]int
}

type ruleState struct {
	Rule
	seen int
}

// New returns a Disk that fails nothing.
func New() *Disk { return &Disk{room: -1, calls: map[disk.Op]int{}} }

// Add adds a rule behind those there are.
func (d *Disk) Add(r Rule) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules = append(d.rules, &ruleState{Rule: r})
}

// SetRoom leaves room for so many bytes to be written; the write that finds
// less is short, and the next one fails with ENOSPC.
func (d *Disk) SetRoom(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = bytes
}

// Reset takes all rules away and forgets the counts.
func (d *Disk) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules, d.room = nil, -1
	clear(d.calls)
}

// Calls returns how many calls of each kind were asked for. Close is none.
func (d *Disk) Calls() map[disk.Op]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := make(map[disk.Op]int, len(d.calls))
	for op, n := range d.calls {
		calls[op] = n
	}
	return calls
}

// Before implements disk.Faults.
func (d *Disk) Before(c disk.Call) (limit int, errno unix.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[c.Op]++
	for _, r := range d.rules {
		if !r.matches(c) || !r.turn() {
			continue
		}
		if r.Errno != 0 {
			return 0, r.Errno
		}
		limit = r.Limit
		break
	}
	if c.Op == disk.OpWrite && d.room >= 0 {
		return d.take(c.Len, limit)
	}
	return limit, 0
}

// take takes the room for a write of length bytes, at most limit if that is set.
func (d *Disk) take(length, limit int) (int, unix.Errno) {
	if limit > 0 {
		length = min(length, limit)
	}
	if d.room == 0 && length > 0 {
		return 0, unix.ENOSPC
	}
	length = int(min(int64(length), d.room))
	d.room -= int64(length)
	return length, 0
}

func (r *Rule) matches(c disk.Call) bool {
	if r.Op != "" && r.Op != c.Op {
		return false
	}
	if r.Path == "" {
		return true
	}
	ok, _ := path.Match(r.Path, c.Path)
	return ok
}

// turn counts a matching call and reports whether it is one that fails.
func (r *ruleState) turn() bool {
	n := r.seen - r.After
	r.seen++
	if n < 0 {
		return false
	}
	if r.Every > 1 {
		if (n+1)%r.Every != 0 {
			return false
		}
		n /= r.Every
	}
	return r.Times == 0 || n < r.Times
}
