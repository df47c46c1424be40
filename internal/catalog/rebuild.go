package catalog

import (
	"context"
	"os"
	"path/filepath"
)

// Rebuild makes the table again from the log, or the log from the table, of a
// catalog that is not open. No id that either has is changed or lost. What is
// damaged in the log is left out of it afterwards; what the table has of it is
// kept, if it is the log that is made again.
func Rebuild(ctx context.Context, folder string, what Part, o Options) (Opened, error) {
	switch what {
	case Table:
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(filepath.Join(folder, tableFile+suffix)); err != nil && !os.IsNotExist(err) {
				return Opened{}, failTable(err)
			}
		}
	case Log:
		// The table first gets all that the log has; then it is the truth.
		c, err := Open(ctx, folder, o)
		if err != nil {
			return Opened{}, err
		}
		err = c.rewrite(ctx)
		if closing := c.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return Opened{}, err
		}
	}
	c, err := Open(ctx, folder, o)
	if err != nil {
		return Opened{}, err
	}
	found, err := c.Opened(ctx)
	if closing := c.Close(); err == nil {
		err = closing
	}
	return found, err
}

// Part is a part of a catalog.
type Part int

// The parts that Rebuild makes again from the other.
const (
	Table Part = iota + 1
	Log
)
