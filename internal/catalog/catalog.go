// Package catalog gives files and folders the 32-bit ids that AFP knows them by,
// one Catalog a volume. An id is given once, to one identity, and never again to
// another, whatever happens to the process or the machine.
//
// A folder holds the catalog: a log, which is the truth, and a table in SQLite,
// which is filled behind it and answers what memory does not hold. Either can be
// made again from the other. docs/catalog.md draws both and says why they keep
// the promise.
//
// An id leaves once the log was written; no call waits for a sync but Sync. One
// goroutine syncs the log now and then, for all that was written meanwhile, and
// brings the table up to date. After the end of the process, even by kill -9, all
// is as it was. After a power cut the log may lack what came after the last sync.
// The numbers of that time are not given again, because a synced record promises
// numbers before they are given.
package catalog

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// CNID is the id of a file or folder within its volume.
type CNID uint32

// The ids that AFP gives a meaning to, and the first that a catalog gives. A
// volume's root is Root, and is in no catalog.
const (
	ParentOfRoot CNID = 1
	Root         CNID = 2
	First        CNID = 17
)

// last is the last id that is given: some programs take the one after it for an
// error.
const last CNID = math.MaxUint32 - 1

// ErrOutOfIDs says that a volume has no id left. It comes as vfs.KindNoSpace.
var ErrOutOfIDs = errors.New("out of CNIDs: each number of 32 bits was given once on this volume")

// Identity is what a volume knows a node by: a digest of the file system's own
// id and of the file handle. It stays over a restart and a rename, and no later
// file has it.
type Identity [16]byte

// Entry is what the catalog knows of a node.
type Entry struct {
	ID       CNID
	Identity Identity
	Parent   CNID
	Name     string   // as on the disk
	Type     vfs.Type // never 0
}

// gone reports whether e, as a change, says that the id has ended.
func (e *Entry) gone() bool { return e.Type == 0 }

// Options are what Open can be told. The zero Options is fine.
type Options struct {
	Budget *budget.Budget // what memory is shared with; nil: one of its own
	Log    *slog.Logger   // what goes wrong in the background; nil: the default one

	// In tests.
	faults disk.Faults
	table  func(folder string) (table, error) // nil: SQLite
	pace   pace                               // zero: the usual one
}

// pace is when the worker does what can wait.
type pace struct {
	batch int           // changes that the table gets at once,
	delay time.Duration // unless it got none for so long
	waste int64         // bytes of no use, beyond those of use, that a log is compacted for
	block CNID          // how many numbers to promise at first
	most  int           // changes that memory holds for the table; who makes one more waits
}

// usualPace: the pages that a batch touches lie anywhere, so it must be large for
// them to be touched more than once.
var usualPace = pace{1 << 13, 2 * time.Second, 8 << 20, 1 << 12, 1 << 17}

// Opened is what Open found.
type Opened struct {
	Fresh        bool  // there was no catalog
	Unclean      bool  // the process before did not come to its end
	Changes      int   // that the log held and the table did not
	Unreadable   int64 // bytes of the log that hold no record
	TableRebuilt bool  // the table was lost, and was filled from the log
	LogRestored  bool  // the log was lost, and was written from the table
}

// Catalog is the ids of a volume. Its methods may be called by several
// goroutines at once; their errors are *vfs.Error. A folder is one Catalog's at
// a time, which who holds the lock of the state folder sees to.
type Catalog struct {
	folder  *disk.Node
	table   table
	account *budget.Account
	logger  *slog.Logger
	pace    pace

	wake     chan struct{}   // to the worker: something was written
	hurry    chan struct{}   // and: somebody waits
	quit     chan struct{}   // closed by Close
	ended    chan struct{}   // closed when the worker has ended
	rewrites chan chan error // to the worker: the log is to be compacted
	slow     chan struct{}   // closed if opening takes long
	ready    chan struct{}   // closed when it is done
	found    Opened          // set before ready is closed, as is
	fatal    error           // why nothing can be answered

	// writing is held over giving ids and writing them down, so that the log has
	// all changes in their order, and over moving what the table has got out of
	// recent. No sync is waited for under it.
	writing    sync.Mutex
	tag        tag
	segment    segment      // of the log, the one that is written to
	retired    []*disk.Node // earlier ones with what is not synced
	fresh      bool         // the entry of segment in the folder is not synced
	broken     bool         // segment could not be written to
	size       int64        // of all segments together
	next       CNID         // the next id to be given
	promised   CNID         // ids below it are promised by what is written,
	ceiling    CNID         // and below this by what is synced
	wanted     CNID         // the ceiling that somebody waits for
	block      CNID         // how many ids to promise at once
	unpromised error        // why the last promise was not written
	written    uint64       // counts what was written to the log,
	durable    uint64       // and of this what is synced
	closed     bool

	// mu, taken below writing, guards what memory holds. No disk is waited for
	// under it.
	mu       sync.RWMutex
	recent   map[CNID]Entry // changes that the table has not got
	applying map[CNID]Entry // older ones, on their way to it
	turn     uint64         // counts how often such got there
	top      CNID           // the table has no higher id
	pages    map[CNID]*page // of the table, by id / pageSize
	ids      map[Identity]CNID
	whole    bool // ids has all there are, and not only those in recent and applying
	waiting  []chan error
	lagging  error // why the table was not filled the last time
	rotten   bool  // the table is damaged and must be made again

	// In nanoseconds since 1970: when ids was asked last, and before when it is not
	// to be loaded again.
	idsUsed, loadAfter atomic.Int64

	// What only the worker changes; got and loaded under mu.
	stands     head   // the head of the table
	bound      head   // what it is to be when the table has got applying,
	after      uint64 // which it may once so much is durable
	got        uint64 // it has all that was written until then
	filled     int64  // when it got something last, as idsUsed
	loaded     CNID   // ids has all that the table has below
	compacting *compaction
	compactAt  int64 // the size of the log at which to look whether that is worth it
}

// Open opens the catalog in folder, which it makes if there is none. Where the
// table is far behind the log, it catches up in the background, and calls wait
// for that as long as their context lets them. Errors: KindUnsupported for the
// catalog of a newer program, KindIO for one that can't be read at all. A disk
// that is full or read-only is none: what is known is answered, and ids are
// given once there is room.
func Open(ctx context.Context, folder string, o Options) (*Catalog, error) {
	if o.Budget == nil {
		o.Budget = budget.New(0)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.table == nil {
		o.table = openSQLite
	}
	if o.pace == (pace{}) {
		o.pace = usualPace
	}
	o.pace.most = cmp.Or(o.pace.most, usualPace.most)
	root, err := openFolder(folder, o.faults)
	if err != nil {
		return nil, err
	}
	t, err := o.table(folder)
	if err != nil {
		root.Close()
		return nil, err
	}
	c := &Catalog{
		folder: root, table: t, logger: o.Log.With("catalog", folder), pace: o.pace,
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
		quit: make(chan struct{}), ended: make(chan struct{}),
		rewrites: make(chan chan error), slow: make(chan struct{}), ready: make(chan struct{}),
		block:  o.pace.block,
		recent: map[CNID]Entry{}, pages: map[CNID]*page{}, ids: map[Identity]CNID{},
	}
	c.account = o.Budget.Open(c)
	go c.work()
	select {
	case <-c.ready:
		err = c.fatal
	case <-c.slow:
	case <-ctx.Done():
		err = canceled(ctx)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Opened returns what Open found, once the table has caught up.
func (c *Catalog) Opened(ctx context.Context) (Opened, error) {
	if err := c.await(ctx); err != nil {
		return Opened{}, err
	}
	return c.found, nil
}

// await waits until calls can be answered.
func (c *Catalog) await(ctx context.Context) error {
	select {
	case <-c.ready:
		return c.fatal
	default:
	}
	select {
	case <-c.ready:
		return c.fatal
	case <-ctx.Done():
		return canceled(ctx)
	}
}

// Sync returns when all that was answered before it was called is on the disk.
func (c *Catalog) Sync(ctx context.Context) error {
	if err := c.await(ctx); err != nil {
		return err
	}
	c.writing.Lock()
	clean, closed := c.durable == c.written, c.closed
	c.writing.Unlock()
	switch {
	case closed:
		return errClosed
	case clean:
		return nil
	}
	return c.round(ctx)
}

// round waits for the worker to sync what is written by now.
func (c *Catalog) round(ctx context.Context) error {
	done := make(chan error, 1)
	c.mu.Lock()
	c.waiting = append(c.waiting, done)
	c.mu.Unlock()
	ring(c.hurry)
	select {
	case err := <-done:
		return err
	case <-c.ended:
		return errClosed
	case <-ctx.Done():
		return canceled(ctx)
	}
}

// Close syncs everything, brings the table up to date and ends the catalog. The
// error is that of the sync; the catalog is closed in any case.
func (c *Catalog) Close() error {
	c.writing.Lock()
	closed := c.closed
	c.closed = true
	c.writing.Unlock()
	if closed {
		return errClosed
	}
	close(c.quit)
	<-c.ended
	err := c.finish()
	c.account.Close()
	return err
}

var errClosed = vfs.NewError("catalog", "", vfs.KindClosed, nil)

func canceled(ctx context.Context) error {
	return vfs.NewError("catalog", "", vfs.KindCanceled, context.Cause(ctx))
}

// ring tells the worker, unless it was told already.
func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}
