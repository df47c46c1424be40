package smb

import "sync"

const (
	// maxInWork bounds the bytes of large requests that one connection has in
	// work, and maxReplies those of large replies that it makes or sends. A
	// client that sends more, or takes less, has its next ones wait: so the
	// server's memory is no matter of how fast a client or the disk is.
	maxInWork  = 32 << 20
	maxReplies = 32 << 20

	// largeBuffer is from which size on buffers are counted.
	largeBuffer = 64<<10 + classSlack
)

// budget is an amount of bytes that buffers share. One buffer always fits.
type budget struct {
	limit int

	mu    sync.Mutex
	freed sync.Cond
	spent int
	ended bool
}

func newBudget(limit int) *budget {
	b := &budget{limit: limit}
	b.freed.L = &b.mu
	return b
}

// take waits until there are n bytes, or for the end of the budget.
func (b *budget) take(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.fitsLocked(n) {
		b.freed.Wait()
	}
	b.spent += n
}

// try takes n bytes if they are there.
func (b *budget) try(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.fitsLocked(n) {
		return false
	}
	b.spent += n
	return true
}

func (b *budget) fitsLocked(n int) bool { return b.ended || b.spent == 0 || b.spent+n <= b.limit }

func (b *budget) give(n int) {
	b.mu.Lock()
	b.spent -= n
	b.mu.Unlock()
	b.freed.Broadcast()
}

// end lets nobody wait any more.
func (b *budget) end() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.freed.Broadcast()
}
