// Package budget shares memory out among what is kept only to be quick: the
// names of folders, and what listings found of them. Over the budget goes first
// what was idle the longest, measured by what it costs to make it again,
// whoever keeps it.
package budget

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Budget bounds the bytes that several keepers hold together. All methods may
// be called by several goroutines at once.
type Budget struct {
	most  atomic.Int64
	limit atomic.Int64
	used  atomic.Int64

	mu       sync.RWMutex
	accounts []*Account
}

// Default is what a Budget has that nobody thought about, in bytes.
const Default = 64 << 20

// New returns a budget of so many bytes; 0 means Default.
func New(bytes int64) *Budget {
	b := &Budget{}
	b.SetMost(cmp.Or(bytes, Default))
	return b
}

// Most returns the most bytes that the budget may ever have, Limit those that it has
// at this moment, and Used those that are held.
func (b *Budget) Most() int64  { return b.most.Load() }
func (b *Budget) Limit() int64 { return b.limit.Load() }
func (b *Budget) Used() int64  { return b.used.Load() }

// SetLimit changes Limit, to no more than Most.
func (b *Budget) SetLimit(bytes int64) {
	b.limit.Store(min(bytes, b.Most()))
	b.tell()
}

// SetMost replaces what New was given, and Limit with it.
func (b *Budget) SetMost(bytes int64) {
	b.most.Store(bytes)
	b.SetLimit(bytes)
}

// over returns by how much the budget is exceeded.
func (b *Budget) over() int64 { return b.used.Load() - b.limit.Load() }

// tell lets all keepers know that they should trim, if they should.
func (b *Budget) tell() {
	if b.over() <= 0 {
		return
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, a := range b.accounts {
		select {
		case a.exceeded <- struct{}{}:
		default:
		}
	}
}

// Keeper keeps items that can be dropped and made again. Its methods must not
// use its Account but for Add.
type Keeper interface {
	// Items returns what could be dropped at this moment. It must not wait for
	// a disk: others' Trim asks it, too, even just after Close.
	Items() []Item
	// Drop drops one of them unless it is in use by now, and tells Add. Only
	// the keeper itself has it called, by Trim.
	Drop(Item)
}

// Item is something that is kept.
type Item struct {
	Idle  float64 // how long nobody used it, in multiples of the time to make it again
	Bytes int64   // that dropping it frees
	What  any     // for its keeper
}

// Account is what one keeper holds.
type Account struct {
	budget   *Budget
	keeper   Keeper
	exceeded chan struct{}
	used     atomic.Int64
	trimming sync.Mutex // held over Trim
}

// Open returns an account for k, which Close closes.
func (b *Budget) Open(k Keeper) *Account {
	a := &Account{budget: b, keeper: k, exceeded: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accounts = append(b.accounts, a)
	return a
}

// Close gives back all that is still held. Nothing may be added afterwards.
func (a *Account) Close() {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.budget.accounts = slices.DeleteFunc(a.budget.accounts, func(b *Account) bool { return a == b })
	a.budget.used.Add(-a.used.Swap(0))
	close(a.exceeded)
}

// Add notes that the keeper holds so many bytes more, or less.
func (a *Account) Add(bytes int64) {
	a.used.Add(bytes)
	a.budget.used.Add(bytes)
	if bytes > 0 {
		a.budget.tell()
	}
}

// Used returns what the keeper holds, in bytes.
func (a *Account) Used() int64 { return a.used.Load() }

// Limit returns what the budget has at this moment, for all keepers, in bytes.
func (a *Account) Limit() int64 { return a.budget.Limit() }

// Exceeded reports whether the keepers together hold too much.
func (a *Account) Exceeded() bool { return a.budget.over() > 0 }

// C yields when the budget is exceeded and Trim should be called. It is closed
// by Close.
func (a *Account) C() <-chan struct{} { return a.exceeded }

// Trim drops items of the account's keeper if the budget is exceeded: those
// among which the idlest of all keepers' are, so that when all trim themselves
// a tenth of the budget is free. Each keeper drops its own, so that a disk
// that hangs holds up nobody else.
func (a *Account) Trim() {
	if !a.Exceeded() {
		return
	}
	a.trimming.Lock()
	defer a.trimming.Unlock()
	enough := a.Limit() / 10 * 9
	idlest := a.budget.idlest(a.budget.Used() - enough)
	own := a.keeper.Items()
	slices.SortFunc(own, byIdleness)
	for _, i := range own {
		if i.Idle < idlest || a.budget.Used() <= enough {
			return
		}
		a.keeper.Drop(i)
	}
}

// idlest returns how idle those items are at least that have to go for so many
// bytes.
func (b *Budget) idlest(bytes int64) (idle float64) {
	b.mu.RLock()
	accounts := slices.Clone(b.accounts) // keepers take locks below which they call Add
	b.mu.RUnlock()
	var all []Item
	for _, a := range accounts {
		all = append(all, a.keeper.Items()...)
	}
	slices.SortFunc(all, byIdleness)
	for _, i := range all {
		if bytes <= 0 {
			break
		}
		idle = i.Idle
		bytes -= i.Bytes
	}
	return idle
}

func byIdleness(a, b Item) int { return cmp.Compare(b.Idle, a.Idle) }
