package catalog

import (
	"context"
	"errors"
)

// table holds entries by id and by identity, on a disk. It is filled by one
// goroutine and asked by many. A power cut may take back what Apply did, from
// the last call on backwards, but nothing in the middle.
type table interface {
	// Head returns what the last Apply was told, the zero head if there was none.
	Head(ctx context.Context) (head, error)
	// Apply makes all changes and stores h, or does nothing.
	Apply(ctx context.Context, changes []Entry, h head) error
	// Range returns the entries with from <= id <= to, by id, at most so many.
	Range(ctx context.Context, from, to CNID, most int) ([]Entry, error)
	// Find returns the id of an identity, 0 if it has none.
	Find(ctx context.Context, i Identity) (CNID, error)
	// Count returns how many entries there are, and Top the highest id.
	Count(ctx context.Context) (int64, error)
	Top(ctx context.Context) (CNID, error)
	// Checkpoint returns when nothing of it can be taken back any more.
	Checkpoint(ctx context.Context) error
	// Reset empties it, however damaged it is.
	Reset(ctx context.Context) error
	Close() error
}

// head says what a table holds.
type head struct {
	tag     tag
	at      place // all that is before this place of the log
	ceiling CNID  // promised there
}

// errDamaged is what a table's error wraps when its content can't be trusted.
var errDamaged = errors.New("the table of ids is damaged")
