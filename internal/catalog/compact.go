package catalog

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
)

// The log is compacted when more than half of it is of no use: a snapshot of the
// table takes the place of all files but the one that is written to. Nothing is
// ever changed in a file that counts:
//
//  1. a new file n+1 is begun, and what the files up to n hold gets to the table;
//  2. all entries of the table are copied to a draft; those that change meanwhile
//     may be copied as before or after, for n+1, which has the changes, is read
//     after it;
//  3. the draft is synced, and the table is made to last;
//  4. the draft gets the name n.snapshot, and the folder is synced;
//  5. what the snapshot stands for is removed.
//
// A power cut before 4 is done leaves the old files, or the snapshot, with which
// they no longer count, and after it the snapshot.
type compaction struct {
	number uint32 // of the snapshot
	after  uint64 // the table must have what was written until then
	file   *disk.Node
	end    int64
	next   CNID // the first entry that is not copied
	done   []chan error
}

// estimated is what the log needs for an entry.
const estimated = entrySize + 32

// compactSome goes a step on with a compaction, and reports whether there is more
// to do at once.
func (c *Catalog) compactSome(ctx context.Context) (more bool) {
	if c.compacting == nil && !c.startCompaction(ctx) {
		return false
	}
	more, err := c.stepCompaction(ctx)
	if err != nil {
		c.logger.Warn("the log of ids could not be made smaller", "err", err)
		c.noteDamage(err)
		c.dropCompaction(err)
		c.compactAt = c.size + c.pace.waste
	}
	return more && err == nil
}

// startCompaction begins one if it is worth it.
func (c *Catalog) startCompaction(ctx context.Context) bool {
	c.writing.Lock()
	size := c.size
	c.writing.Unlock()
	if size < c.compactAt {
		return false
	}
	n, err := c.table.Count(ctx)
	if err != nil {
		c.noteDamage(err)
		return false
	}
	if c.compactAt = 2*n*estimated + c.pace.waste; size < c.compactAt {
		return false
	}
	if err := c.beginCompaction(); err != nil {
		c.compactAt = size + c.pace.waste
		return false
	}
	return true
}

// beginCompaction begins a new file, so that those before can be replaced.
func (c *Catalog) beginCompaction() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.newSegmentLocked(); err != nil {
		return err
	}
	c.compacting = &compaction{number: c.segment.number - 1, after: c.written}
	ring(c.hurry)
	return nil
}

// dropCompaction ends it, and tells those who wait how.
func (c *Catalog) dropCompaction(err error) {
	p := c.compacting
	if p == nil {
		return
	}
	if p.file != nil {
		p.file.Close()
	}
	for _, done := range p.done {
		done <- err
	}
	c.compacting = nil
}

// rewrite has the log compacted now, and waits for that.
func (c *Catalog) rewrite(ctx context.Context) error {
	if err := c.await(ctx); err != nil {
		return err
	}
	done := make(chan error, 1)
	select {
	case c.rewrites <- done:
	case <-c.ended:
		return errClosed
	case <-ctx.Done():
		return canceled(ctx)
	}
	select {
	case err := <-done:
		return err
	case <-c.ended:
		return errClosed
	case <-ctx.Done():
		return canceled(ctx)
	}
}

// beginRewrite does what rewrite asks for.
func (c *Catalog) beginRewrite(done chan error) {
	if c.compacting == nil {
		if err := c.beginCompaction(); err != nil {
			done <- err
			return
		}
	}
	c.compacting.done = append(c.compacting.done, done)
}

// stepCompaction copies some entries, or ends the compaction.
func (c *Catalog) stepCompaction(ctx context.Context) (more bool, err error) {
	p := c.compacting
	if p.file == nil {
		if !c.hasGot(p.after) {
			return false, nil
		}
		if p.file, p.end, err = c.newDraft(p.number); err != nil {
			return false, err
		}
	}
	const some = 4096
	entries, err := c.table.Range(ctx, p.next, last, some)
	if err != nil {
		return false, err
	}
	if len(entries) > 0 {
		b := appendFrames(nil, c.tag, c.promise(), entries)
		if _, err := p.file.WriteAt(b, p.end); err != nil {
			return false, err
		}
		p.end += int64(len(b))
		p.next = entries[len(entries)-1].ID + 1
	}
	if len(entries) == some {
		return true, nil
	}
	return false, c.endCompaction(ctx)
}

func (c *Catalog) promise() CNID {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.promised
}

// hasGot reports whether the table has all that was written until then.
func (c *Catalog) hasGot(written uint64) bool {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.RLock()
	defer c.mu.RUnlock()
	if len(c.recent) == 0 && len(c.applying) == 0 {
		return c.durable >= written
	}
	return c.got >= written
}

// newDraft begins a snapshot with the number.
func (c *Catalog) newDraft(number uint32) (*disk.Node, int64, error) {
	how := forWriting
	how.Flags |= disk.Truncate
	file, err := c.folder.Open(nil, draft, how)
	if err != nil {
		return nil, 0, err
	}
	b := appendFrames(appendHeader(nil, number, c.tag), c.tag, c.promise(), nil)
	if _, err := file.WriteAt(b, 0); err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, int64(len(b)), nil
}

// endCompaction has the snapshot count, and removes what counts no more.
func (c *Catalog) endCompaction(ctx context.Context) error {
	p := c.compacting
	if err := p.file.Sync(); err != nil {
		return err
	}
	// A table that stands in a file that is gone would have to be made again.
	if c.stands.at.segment <= p.number {
		h := head{c.tag, place{p.number + 1, 0}, c.promise()}
		if err := c.table.Apply(ctx, nil, h); err != nil {
			return err
		}
		c.stands = h
	}
	if err := c.table.Checkpoint(ctx); err != nil {
		return err
	}
	if err := c.folder.Rename(nil, draft, c.folder, fileName(p.number, snapshotSuffix), false); err != nil {
		return err
	}
	if err := c.folder.Sync(); err != nil {
		return err
	}
	files, err := listFiles(c.folder)
	if err != nil {
		return err
	}
	c.removeOld(files)
	c.writing.Lock()
	c.size = p.end + c.segment.end
	c.writing.Unlock()
	c.dropCompaction(nil)
	return nil
}

// removeOld removes files that count no more. One that stays does no harm.
func (c *Catalog) removeOld(f files) {
	for _, name := range f.old {
		if err := c.folder.Remove(nil, name, false); err != nil {
			c.logger.Warn("a file of the log of ids that is no longer needed stays", "file", name, "err", err)
		}
	}
}
