package share

import (
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/lock"
)

// Cause says what a call waits for.
type Cause uint8

// The causes.
const (
	ForOplock Cause = iota + 1 // a holder is to give up an oplock
	ForRange                   // a byte range is locked, or asked for by one who came first
	ForName                    // a name is being changed or removed
)

// maxBlockers is how many of those that a call waits for are told.
const maxBlockers = 16

// Waiting is a call that has to wait for what others do. Its methods may be
// called by several goroutines at once, also after the call has ended.
type Waiting struct {
	op   string
	path string
	open *Open // that the call is about, nil for one that is not made yet

	mu    sync.Mutex
	on    wait
	since time.Time
}

// wait is what a call waits for: the range that it wants, or else a change of
// the row. The zero wait is no wait.
type wait struct {
	shard *shard
	row   *row
	want  *lock.Waiter
}

// WaitInfo describes a wait.
type WaitInfo struct {
	Op    string // "open", "lock", "rename" and so on
	Path  string // of the file
	Open  *Open  // nil for one that is not made yet
	For   Cause
	Range Range   // that is wanted, with ForRange
	By    []*Open // those who are in the way, 16 at most; they may be closed by now
	Since time.Time
}

func (w *Waiting) set(on wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.on, w.since = on, time.Now()
}

// Info tells what the call waits for at this moment, and false if it does not.
func (w *Waiting) Info() (WaitInfo, bool) {
	w.mu.Lock()
	on, since := w.on, w.since
	w.mu.Unlock()
	if on.shard == nil {
		return WaitInfo{}, false
	}
	i := WaitInfo{Op: w.op, Path: w.path, Open: w.open, Since: since}
	on.shard.mu.Lock()
	if on.want != nil {
		i.For, i.Range = ForRange, on.want.Range()
		for _, o := range on.row.ranges.InWay(on.want, maxBlockers) {
			i.By = append(i.By, o.Of.(*Open))
		}
	} else if h := on.row.oplocks.First(); h != nil && h.Breaking() {
		i.For, i.By = ForOplock, []*Open{h.Of.(*Open)}
	} else {
		i.For = ForName
	}
	on.shard.mu.Unlock()
	if w.open != nil {
		i.Path = w.open.Path()
	}
	return i, true
}
