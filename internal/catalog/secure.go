package catalog

import (
	"slices"

	"github.com/dozo-server/dozo/internal/disk"
)

// maxBlock is how many numbers are promised at once. At first they are fewer, so
// that a process that ends over and over wastes few.
const maxBlock CNID = 1 << 16

// secure syncs all that is written by now. It promises more numbers if there are
// few left, and sets out what the table is to get; all, if there is reason to.
func (c *Catalog) secure(all bool) error {
	c.writing.Lock()
	c.unpromised = c.promiseLocked()
	todo := c.unsyncedLocked()
	c.setOutLocked(all)
	c.writing.Unlock()

	err := c.sync(todo)
	if err == nil {
		return nil
	}
	// After an error the system may take what it lost for written, so that a
	// further sync would say nothing about it.
	c.logger.Warn("the log of ids could not be synced and is written again", "err", err)
	return c.writeAgain()
}

// promiseLocked writes a higher ceiling if few numbers are left below the present
// one, or somebody waits for one.
func (c *Catalog) promiseLocked() error {
	left := c.promised - min(c.promised, c.next)
	if (left >= c.block/4 || c.promised > last) && c.wanted <= c.promised {
		return nil
	}
	ceiling := uint64(max(c.next, c.wanted)) + uint64(c.block)
	if err := c.appendLocked(CNID(min(ceiling, uint64(last)+1)), nil); err != nil {
		return err
	}
	c.block = min(2*c.block, maxBlock)
	return nil
}

// unsynced is what secure syncs.
type unsynced struct {
	files    []*disk.Node
	fresh    bool
	written  uint64
	promised CNID
}

func (c *Catalog) unsyncedLocked() unsynced {
	todo := unsynced{files: slices.Clone(c.retired), fresh: c.fresh, written: c.written, promised: c.promised}
	if c.segment.file != nil {
		todo.files = append(todo.files, c.segment.file)
	}
	return todo
}

// sync syncs the files in their order, then notes that they are.
func (c *Catalog) sync(todo unsynced) error {
	for _, file := range todo.files {
		if err := file.DataSync(); err != nil {
			return err
		}
	}
	if todo.fresh {
		if err := c.folder.Sync(); err != nil {
			return err
		}
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.durable = todo.written
	if todo.fresh && c.segment.file == todo.files[len(todo.files)-1] {
		c.fresh = false
	}
	c.ceiling = todo.promised
	c.retired = slices.DeleteFunc(c.retired, func(file *disk.Node) bool {
		if !slices.Contains(todo.files, file) {
			return false
		}
		file.Close()
		return true
	})
	return nil
}

// writeAgain writes to a new segment all that the table has not got, which
// includes all that was never synced, and syncs that.
func (c *Catalog) writeAgain() error {
	c.writing.Lock()
	err := c.newSegmentLocked()
	if err == nil {
		c.mu.RLock()
		changes := c.unappliedLocked()
		c.mu.RUnlock()
		err = c.appendLocked(c.promised, changes)
		// The place that the table was to stand at may never be there.
		c.bound.at, c.after = place{c.segment.number, 0}, c.written
	}
	if err != nil {
		c.writing.Unlock()
		return err
	}
	// What the old files have is in the new one, but for what the table has.
	for _, file := range c.retired {
		file.Close()
	}
	c.retired = nil
	todo := c.unsyncedLocked()
	c.writing.Unlock()
	return c.sync(todo)
}
