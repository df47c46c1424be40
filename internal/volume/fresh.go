package volume

import (
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// Whoever opens a file asks for its attributes at once, for the reply to the
// client, and opening has just looked at them. So the first question is answered
// with what opening saw, unless this process changed something meanwhile or too
// much time passed.

// firstLookAge is how long what opening saw may answer for what is now. A
// change by a local process within it is told by the next question: the client
// could have got the same answer by coming a moment sooner.
const firstLookAge = time.Millisecond

// firstLook is what opening a file saw.
type firstLook struct {
	st       disk.Stat
	info     meta.Info
	hasInfo  bool
	at       time.Time
	clock    time.Time // disk.Clock then
	mark     mark
	answered bool
}

// changes counts what this process did that changes attributes: by the nodes it
// was done to, and in one number where these are not known.
type changes struct {
	all atomic.Uint64
	of  [256]atomic.Uint64
}

// mark is a state of the counters that concern one node.
type mark struct{ all, of uint64 }

func (c *changes) mark(bucket uint8) mark { return mark{c.all.Load(), c.of[bucket].Load()} }

// bucketOf spreads nodes over counters and locks.
func bucketOf(h disk.Handle) uint8 {
	sum := uint32(2166136261)
	for _, b := range h.Bytes[:h.Size] {
		sum = (sum ^ uint32(b)) * 16777619
	}
	return uint8(sum ^ sum>>8 ^ sum>>16 ^ sum>>24)
}

// changed notes that f was changed. It is called after the change, so that what
// is seen with an older mark may be old, and never the other way round.
func (f *file) changed() { f.v.changes.of[f.bucket].Add(1) }

// knownMeta is what was found stored about a file. It holds as long as the change
// time is the one it was found with.
type knownMeta struct {
	info    meta.Info
	changed time.Time // zero: nothing is known
}

// look returns the attributes of f as they are now, and what is stored about it.
func (f *file) look() (disk.Stat, meta.Info, error) {
	f.mu.Lock()
	first, known := f.first, f.known
	f.first.answered = true
	f.mu.Unlock()

	st, clock := first.st, first.clock
	if first.answered || first.mark != f.v.changes.mark(f.bucket) || time.Since(first.at) > firstLookAge {
		var err error
		clock = disk.Clock()
		if st, err = f.node.Stat(); err != nil {
			return disk.Stat{}, meta.Info{}, err
		}
	} else if first.hasInfo {
		return st, first.info, f.open()
	}
	if !known.changed.IsZero() && known.changed.Equal(st.Changed) {
		return st, known.info, f.open()
	}
	info, err := f.readMeta()
	if err != nil {
		return disk.Stat{}, meta.Info{}, err
	}
	if meta.Settled(st.Changed, clock) {
		f.mu.Lock()
		f.known = knownMeta{info, st.Changed}
		f.mu.Unlock()
	}
	return st, info, f.open()
}

// open returns nil if f was not closed yet.
func (f *file) open() error {
	err := f.node.Hold(disk.OpStat)
	if err == nil {
		f.node.Drop()
	}
	return err
}

// readMeta reads what is stored about f.
func (f *file) readMeta() (meta.Info, error) {
	if !f.hasMeta() {
		return meta.Info{}, nil
	}
	return meta.Read(f.node)
}

// hasMeta reports whether something can be stored about f.
func (f *file) hasMeta() bool { return f.typ == vfs.TypeFile || f.typ == vfs.TypeDir }
