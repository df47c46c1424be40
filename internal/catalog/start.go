package catalog

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// afterLoss is how many numbers are left out when the log was lost: more than it
// can have promised beyond what the table knows.
const afterLoss = 1 << 20

// start finds out what is in the folder, and makes memory and the table fit the
// log.
func (c *Catalog) start(ctx context.Context) error {
	f, err := listFiles(c.folder)
	if err != nil {
		return err
	}
	t, known, err := c.readTag(f)
	if err != nil {
		return err
	}
	h, err := c.table.Head(ctx)
	if err == nil {
		c.top, err = c.table.Top(ctx)
	}
	if errors.Is(err, errDamaged) {
		h, c.top = head{}, 0
		err = c.table.Reset(ctx)
	}
	if err != nil {
		return err
	}
	c.stands, c.filled = h, now()
	switch {
	case !known && h == head{}:
		err = c.begin(f)
	case !known:
		err = c.restore(ctx, f)
	default:
		err = c.resume(ctx, f, t)
	}
	if err != nil {
		return err
	}
	c.promised, c.ceiling = c.next, c.next
	if err := c.secure(false); err != nil {
		c.logger.Warn("no ids can be given at present", "err", err)
	} else if c.stands == (head{}) && len(c.recent) == 0 {
		// A table without a head is one that was lost.
		h := c.headLocked()
		if err := c.table.Apply(ctx, nil, h); err == nil {
			c.stands = h
		}
	}
	c.removeOld(f)
	return nil
}

// readTag returns the tag in the first header that can be read.
func (c *Catalog) readTag(f files) (t tag, known bool, err error) {
	for _, name := range f.names() {
		file, err := c.folder.Open(nil, name, disk.How{})
		if err != nil {
			return t, false, err
		}
		b := make([]byte, headerSize)
		_, err = file.ReadAt(b, 0)
		file.Close()
		if err != nil && err != io.EOF {
			return t, false, err
		}
		found, v, ok := parseHeader(b)
		if ok && v > version {
			return t, false, vfs.NewError("catalog", name, vfs.KindUnsupported,
				fmt.Errorf("it has version %d, and this program knows %d", v, version))
		}
		if ok && !known {
			t, known = found, true
		}
	}
	return t, known, nil
}

// begin makes a new catalog. A first file that a power cut left unfinished gave
// nothing to anybody.
func (c *Catalog) begin(f files) error {
	for _, name := range f.names() {
		empty, err := c.isEmpty(name)
		if err != nil {
			return err
		}
		if !empty {
			return vfs.NewError("catalog", name, vfs.KindIO, errors.New("neither the log of ids nor its table can be read"))
		}
	}
	rand.Read(c.tag[:])
	c.segment.number = f.last()
	c.next = First
	c.whole = true
	c.found.Fresh = true
	return nil
}

// isEmpty reports whether nothing ever reached a file.
func (c *Catalog) isEmpty(name string) (bool, error) {
	file, err := c.folder.Open(nil, name, disk.How{})
	if err != nil {
		return false, err
	}
	defer file.Close()
	b := make([]byte, 1<<16)
	n, err := file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	return len(bytes.Trim(b[:n], "\x00")) == 0, nil
}

// restore writes the log that was lost from the table.
func (c *Catalog) restore(ctx context.Context, f files) error {
	c.tag = c.stands.tag
	c.next = CNID(min(uint64(max(c.stands.ceiling, c.top+1, First))+afterLoss, uint64(last)+1))
	c.promised = c.next
	c.segment.number = max(f.last(), c.stands.at.segment) + 1
	c.compacting = &compaction{number: c.segment.number}
	for c.compacting != nil {
		if _, err := c.stepCompaction(ctx); err != nil {
			c.dropCompaction(err)
			return err
		}
	}
	c.found.LogRestored = true
	return nil
}

// resume reads what the log has and the table has not.
func (c *Catalog) resume(ctx context.Context, f files, t tag) error {
	c.tag = t
	h := c.stands
	switch ahead, err := c.isAhead(f, h); {
	case err != nil:
		return err
	case h.tag == t && ahead:
		return c.restore(ctx, f)
	case h == head{}:
		c.found.TableRebuilt = true
	case h.tag != t || h.at.segment <= f.snapshot:
		// Another catalog's, or one that a power cut took back by more than the
		// files that are there can tell.
		if err := c.table.Reset(ctx); err != nil {
			return err
		}
		h, c.top = head{}, 0
		c.stands = h
		c.found.TableRebuilt = true
	}
	return c.catchUp(ctx, f, h)
}

// isAhead reports whether a table with the head h has more than the log.
func (c *Catalog) isAhead(f files, h head) (bool, error) {
	if h.at.segment > f.last() {
		return f.snapshot != h.at.segment-1 || h.at.offset > 0, nil
	}
	if len(f.logs) == 0 || h.at.segment < f.last() {
		return false, nil // what follows goes on from the table
	}
	st, err := c.folder.StatAt(fileName(h.at.segment, logSuffix))
	return err == nil && st.Size < h.at.offset, err
}

// catchUp reads the log behind the place that h names. If that is much, it goes
// to the table at once.
func (c *Catalog) catchUp(ctx context.Context, f files, h head) error {
	r := &reading{c: c, ceiling: h.ceiling, top: c.top}
	defer r.close()
	err := r.read(f, h.at, func() error {
		if len(r.changes) < c.pace.most {
			return nil
		}
		if !r.long {
			r.long = true
			close(c.slow)
		}
		return r.flush(ctx, head{})
	})
	if err != nil {
		return err
	}
	c.found.Changes, c.found.Unreadable = r.count, r.lost
	next := uint64(max(r.ceiling, r.top+1, First))
	if r.lost > 0 {
		next += uint64(maxBlock) // what can't be read may have been a promise
	}
	c.next = CNID(min(next, uint64(last)+1))
	c.retired, c.segment, c.size = r.opened, r.segment, r.size
	r.opened = nil
	c.writing.Lock()
	defer c.writing.Unlock()
	c.remember(inOrder(r.changes))
	c.written++ // what was read may not be synced
	return nil
}

// reading reads the files of a log.
type reading struct {
	c       *Catalog
	changes map[CNID]Entry
	count   int   // of all changes
	lost    int64 // bytes that hold no frame
	ceiling CNID
	top     CNID
	opened  []*disk.Node // all files that were read, but for that of segment
	segment segment      // the last file; without a file if it must not be written to
	size    int64        // of all files
	long    bool
}

func (r *reading) close() {
	for _, file := range r.opened {
		file.Close()
	}
}

// read reads what is behind from; after each frame, each is called.
func (r *reading) read(f files, from place, each func() error) error {
	r.changes = map[CNID]Entry{}
	r.segment.number = f.last()
	if f.snapshot > 0 {
		name := fileName(f.snapshot, snapshotSuffix)
		if from.segment <= f.snapshot {
			if _, err := r.readFile(name, place{f.snapshot, 0}, each); err != nil {
				return err
			}
		} else if st, err := r.c.folder.StatAt(name); err == nil {
			r.size += st.Size
		}
	}
	for _, number := range f.logs {
		name := fileName(number, logSuffix)
		at := place{number, 0}
		switch {
		case number < from.segment:
			if st, err := r.c.folder.StatAt(name); err == nil {
				r.size += st.Size
			}
			continue
		case number == from.segment:
			at.offset = from.offset
		}
		end, err := r.readFile(name, at, each)
		if err != nil {
			return err
		}
		if number == f.last() && end.whole {
			r.goOn(name, end.at)
		}
	}
	return nil
}

// fileEnd is how reading a file ended.
type fileEnd struct {
	at    int64 // behind its last frame
	whole bool  // nothing follows it
}

// readFile reads the frames of a file.
func (r *reading) readFile(name string, from place, each func() error) (fileEnd, error) {
	file, err := r.c.folder.Open(nil, name, disk.How{})
	if err != nil {
		return fileEnd{}, err
	}
	r.opened = append(r.opened, file)
	st, err := file.Stat()
	if err != nil {
		return fileEnd{}, err
	}
	r.size += st.Size
	s := newScan(file, r.c.tag, max(from.offset, headerSize))
	for {
		f, err := s.next()
		if err == io.EOF {
			r.lost += s.lost
			return fileEnd{s.end, s.end == s.off && st.Size >= headerSize}, nil
		}
		if err != nil {
			return fileEnd{}, err
		}
		r.ceiling = f.ceiling
		r.count += len(f.entries)
		for _, e := range f.entries {
			r.changes[e.ID] = e
			r.top = max(r.top, e.ID)
		}
		if err := each(); err != nil {
			return fileEnd{}, err
		}
	}
}

// goOn has the last file be written to, if it can be. What is behind its last
// frame would come back if the new frames were lost and it was not.
func (r *reading) goOn(name string, end int64) {
	file, err := r.c.folder.Open(nil, name, disk.How{Flags: disk.Read | disk.Write})
	if err != nil {
		return // a new file, as soon as one can be made
	}
	r.segment.file, r.segment.end = file, end
}

// flush brings the changes to the table. What they were read from is synced
// before: the table must not be ahead of the log.
func (r *reading) flush(ctx context.Context, h head) error {
	select {
	case <-r.c.quit:
		return errClosed
	default:
	}
	for _, file := range r.opened {
		if err := file.DataSync(); err != nil {
			return err
		}
	}
	if err := r.c.table.Apply(ctx, inOrder(r.changes), h); err != nil {
		return err
	}
	clear(r.changes)
	return nil
}

// rebuild makes the table again from the log, which goes on meanwhile.
func (c *Catalog) rebuild(ctx context.Context) error {
	c.writing.Lock()
	c.mu.Lock()
	c.turn++ // what was read of the table counts no more
	recent := maps.Clone(c.applying)
	if recent == nil {
		recent = map[CNID]Entry{}
	}
	maps.Copy(recent, c.recent)
	c.recent, c.applying = recent, nil
	c.mu.Unlock()
	c.writing.Unlock()
	c.dropCompaction(beingRebuilt)

	if err := c.table.Reset(ctx); err != nil {
		return err
	}
	f, err := listFiles(c.folder)
	if err != nil {
		return err
	}
	r := &reading{c: c}
	defer r.close()
	err = r.read(f, place{}, func() error {
		if len(r.changes) < c.pace.most {
			return nil
		}
		return r.flush(ctx, head{})
	})
	if err != nil {
		return err
	}
	var h head // none where the end is not to be told: it will come with further changes
	if r.segment.file != nil {
		r.opened = append(r.opened, r.segment.file)
		h = head{c.tag, place{r.segment.number, r.segment.end}, r.ceiling}
	}
	if err := r.flush(ctx, h); err != nil {
		return err
	}
	top, err := c.table.Top(ctx)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stands, c.top, c.rotten = h, top, false
	c.loaded = 0
	c.turn++
	return nil
}
