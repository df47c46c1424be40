package smb

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/wildcard"
	"github.com/dozo-server/dozo/vfs"
)

const (
	// listingBatch is how many entries are taken from the disk at a time.
	listingBatch = 256

	// listingRoom is the most that is lent to the first reply of a listing,
	// as long as nobody knows how long it will be. It grows as needed.
	listingRoom = 1 << 20
)

// listing is the place at which the enumeration of a folder through an open
// stands ([MS-SMB2] 3.3.1.10). The zero listing has not begun.
type listing struct {
	closed atomic.Bool // nobody wants more of it

	// mu is held for a whole QUERY_DIRECTORY, even while it waits for the
	// disk: two of them on one open go on from each other's end.
	mu      sync.Mutex
	begun   bool
	pattern wildcard.Pattern
	found   bool // something matched since it began
	ended   bool
	lister  vfs.Lister
	batch   *batch
	rest    []vfs.Entry // of the batch: what matches and was not sent yet
	bare    bool        // the rest has names only
}

// batch is memory for entries, lent by batches while an enumeration goes on.
type batch [listingBatch]vfs.Entry

var batches = sync.Pool{New: func() any { return new(batch) }}

// queryDirectory answers QUERY_DIRECTORY ([MS-SMB2] 3.3.5.18).
func (r *request) queryDirectory(ctx context.Context, m *smbwire.QueryDirectoryRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	if o.file == nil || !o.file.IsDir() {
		return nil, smbwire.StatusInvalidParameter
	}
	fixed := m.Class.DirectoryEntrySize()
	if fixed == 0 {
		return nil, smbwire.StatusInvalidInfoClass
	}
	if err := r.transact(m.OutputBufferLength); err != nil {
		return nil, err
	}
	limit := int(m.OutputBufferLength)
	if limit < fixed {
		return nil, smbwire.StatusInfoLengthMismatch
	}

	l := &o.listing
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.Flags&(smbwire.QueryRestartScans|smbwire.QueryReopen) != 0 || !l.begun {
		if err := l.begin(o, m); err != nil {
			return nil, err
		}
	}
	names := m.Class == smbwire.FileNamesInformation
	if l.bare && !names {
		if err := l.complete(ctx, o); err != nil {
			return nil, err
		}
	}
	room := limit
	if !l.found {
		room = min(limit, listingRoom)
	}
	b := smbwire.NewDirectoryBatch(m.Class, r.room(smbwire.QueryDirectoryResponseData, room), limit)
	err = l.fill(ctx, o, &b, names, m.Flags&smbwire.QuerySingleEntry != 0)
	if l.ended && len(l.rest) == 0 {
		l.end()
	}
	switch {
	case err != nil && err != smbwire.StatusBufferOverflow:
		return nil, err
	case b.Count() > 0:
		return &smbwire.QueryDirectoryResponse{Data: b.Data()}, err
	case l.found:
		return nil, smbwire.StatusNoMoreFiles
	}
	return nil, smbwire.StatusNoSuchFile
}

// begin goes back to the start, with another pattern if there is one.
func (l *listing) begin(o *open, m *smbwire.QueryDirectoryRequest) error {
	if !l.begun || m.FileName != "" || m.Flags&smbwire.QueryReopen != 0 {
		p, err := wildcard.Compile(m.FileName, wildcard.TableOf(o.tree.files.Share().Features()))
		if err != nil {
			return smbwire.StatusObjectNameInvalid
		}
		l.pattern = p
	}
	l.end()
	l.begun, l.found, l.ended = true, false, false
	return nil
}

// close frees what the listing holds, when its open is closed. A request that
// is still at it ends at the next batch.
func (l *listing) close() {
	l.closed.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

// end drops the entries that were not sent.
func (l *listing) end() {
	if l.lister != nil {
		l.lister.Close()
	}
	if l.batch != nil {
		clear(l.batch[:])
		batches.Put(l.batch)
	}
	l.ended, l.lister, l.batch, l.rest, l.bare = true, nil, nil, nil, false
}

// fill appends entries to b as long as there are some and b has room. Those of a
// batch may all not match: so at each the client may have thought better of it.
func (l *listing) fill(ctx context.Context, o *open, b *smbwire.DirectoryBatch, names, single bool) error {
	var d smbwire.DirectoryEntry
	for {
		for i := range l.rest {
			describe(&d, &l.rest[i])
			if !b.Append(&d) {
				if l.rest = l.rest[i:]; b.Count() > 0 {
					return nil
				}
				// A first entry comes even if its name has to be cut.
				b.AppendCut(&d)
				l.rest = l.rest[1:]
				return smbwire.StatusBufferOverflow
			}
			if single {
				l.rest = l.rest[i+1:]
				return nil
			}
		}
		l.rest = nil
		if err := l.givenUp(ctx); err != nil {
			if b.Count() > 0 {
				return nil // what was found would be lost
			}
			return err
		}
		if err := l.load(ctx, o, names); err != nil || l.ended && l.rest == nil {
			return err
		}
	}
}

// givenUp returns why the enumeration is given up, if it is.
func (l *listing) givenUp(ctx context.Context) error {
	if l.closed.Load() {
		return smbwire.StatusFileClosed
	}
	return ctx.Err()
}

// load makes the next entries that match the rest, with names only their names.
// There may be none of them among those it looked at.
func (l *listing) load(ctx context.Context, o *open, names bool) error {
	var err error
	switch literal := l.pattern.Literal(); {
	case l.ended:
		return nil
	case literal != "" && literal != "." && literal != "..":
		err = l.loadOne(ctx, o, literal)
	case l.batch == nil:
		err = l.loadDots(ctx, o)
		l.ended = literal != ""
	default:
		err = l.loadMore(ctx, o, names)
	}
	l.found = l.found || len(l.rest) > 0
	return err
}

// loadOne loads the only entry that a pattern without wildcards can match, at
// a cost that does not grow with the folder.
func (l *listing) loadOne(ctx context.Context, o *open, name string) error {
	l.ended = true
	e, err := o.file.Lookup(ctx, name, false)
	switch {
	case vfs.IsKind(err, vfs.KindNotExist) || vfs.IsKind(err, vfs.KindInvalidName):
		return nil
	case err != nil:
		return err
	}
	l.rest = []vfs.Entry{e}
	return nil
}

// loadDots loads the folder itself and the one above it, which come first.
// Nothing but the id is known of the latter; the root stands for its own.
func (l *listing) loadDots(ctx context.Context, o *open) error {
	a, err := o.file.Attr(ctx)
	if err != nil {
		return err
	}
	a.Short = "" // it is found by its name only, and not from within
	above := a
	if a.Parent != 0 {
		above.ID = a.Parent
	}
	l.batch = batches.Get().(*batch)
	l.batch[0] = vfs.Entry{Name: ".", Attr: a}
	l.batch[1] = vfs.Entry{Name: "..", Attr: above}
	l.rest = l.keep(l.batch[:2])
	return nil
}

// loadMore loads what the folder holds.
func (l *listing) loadMore(ctx context.Context, o *open, names bool) error {
	if l.lister == nil {
		lister, err := o.file.List(ctx)
		if err != nil {
			return err
		}
		l.lister = lister
	}
	n, err := l.lister.Next(ctx, l.batch[:], names)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	l.rest, l.bare = l.keep(l.batch[:n]), names
	l.ended = err != nil
	return nil
}

// complete finds the attributes of the rest, for a client that went over from
// names to another class. What went away meanwhile is left out.
func (l *listing) complete(ctx context.Context, o *open) error {
	rest := make([]vfs.Entry, 0, len(l.rest))
	for i := range l.rest {
		e, err := o.file.Lookup(ctx, l.rest[i].Name, false)
		if vfs.IsKind(err, vfs.KindNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if e.Name == l.rest[i].Name {
			rest = append(rest, e)
		}
	}
	l.rest, l.bare = rest, false
	return nil
}

// keep moves the entries that match to the front and returns them.
func (l *listing) keep(entries []vfs.Entry) []vfs.Entry {
	if l.pattern.All() {
		return entries
	}
	n := 0
	for i := range entries {
		e := &entries[i]
		if l.pattern.Match(e.Name) || e.Attr.Short != "" && l.pattern.Match(e.Attr.Short) { // [MS-FSA] 2.1.5.6.3
			if n != i {
				entries[n] = *e
			}
			n++
		}
	}
	return entries[:n]
}

// describe fills d with what a listing shows of e.
func describe(d *smbwire.DirectoryEntry, e *vfs.Entry) {
	a := &e.Attr
	*d = smbwire.DirectoryEntry{
		CreationTime:   smbwire.FileTimeOf(a.Birth),
		LastAccessTime: smbwire.FileTimeOf(a.Accessed),
		LastWriteTime:  smbwire.FileTimeOf(a.Modified),
		ChangeTime:     smbwire.FileTimeOf(a.Changed),
		EndOfFile:      endOfFile(a),
		AllocationSize: allocation(a),
		FileAttributes: fileAttributes(a),
		FileID:         a.ID,
		ShortName:      a.Short,
		FileName:       e.Name,
	}
}
