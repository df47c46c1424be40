package names

import (
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// found is a name as it is stored.
type found struct {
	name  string
	shown string // to clients
	typ   vfs.Type
}

// onDiskOnly is what is found where only the disk was asked.
func onDiskOnly(name string, typ vfs.Type) found { return found{name, Shown(name), typ} }

// indexed reports whether the index of d answers without the disk being asked
// first. While it is built, exact names are opened past it, and where changes
// are not told of the disk must be asked anyway.
func (d *dir) indexed() bool {
	return d.ready.Load() && d.watched() && !d.invalid.Load()
}

// find returns the name in d that the caller of r means by name: by the index,
// which is built if there is none. r has entered d.
func (r *request) find(d *dir, name string) (found, error) {
	if f, err, ok := r.findQuickly(d, name); ok {
		return f, err
	}
	d.content.Lock()
	defer d.content.Unlock()
	if err := r.ensure(d); err != nil {
		return found{}, err
	}
	return r.lookIn(d, name)
}

// findQuickly is find when nothing is to be done first: callers don't exclude
// each other.
func (r *request) findQuickly(d *dir, name string) (f found, err error, ok bool) {
	if !d.watched() {
		return f, nil, false
	}
	d.content.RLock()
	defer d.content.RUnlock()
	if d.names == nil || d.dirty.Load() || !d.valid() {
		return f, nil, false
	}
	return r.ask(d, name)
}

// valid reports whether the index is right but for what is pending. It runs
// with content held.
func (d *dir) valid() bool {
	return (d.names != nil || d.prints != nil) && !d.invalid.Load() && (d.q == nil || d.builtGen == d.q.gen.Load())
}

// lookIn finds name in d's index. It runs with content held, exclusively if
// there are only fingerprints.
func (r *request) lookIn(d *dir, name string) (found, error) {
	if d.names != nil {
		if f, err, ok := r.ask(d, name); ok {
			return f, err
		}
	}
	return r.lookOnDisk(d, name)
}

// ask finds name by the names in d's index, and by the disk where that may
// know it by another spelling. ok is false if only reading the folder tells how
// it is stored. It runs with content held.
func (r *request) ask(d *dir, name string) (f found, err error, ok bool) {
	rec, known := d.names.find(name)
	known = known && (!r.exact || string(rec.name) == name || !r.plain && d.names.isGiven(rec, name))
	if known {
		f = d.names.found(rec)
	} else {
		err = errNotExist
	}
	if known && string(rec.name) == name || !r.mayFold(d) || known && d.names.isOnly(rec, name) {
		return f, err, true
	}
	n, nodeErr := r.node(d)
	if nodeErr != nil {
		return found{}, nodeErr, true
	}
	switch st, statErr := n.StatAt(name); {
	case vfs.IsKind(statErr, vfs.KindNotExist):
		return f, err, true
	case statErr != nil:
		return found{}, statErr, true
	case known:
		same, sameErr := n.StatAt(f.name)
		return f, nil, sameErr == nil && sameNode(st, same)
	}
	return found{}, nil, false
}

// ensure makes the index of d right: it is built if there is none, and what
// others changed is looked at. It runs with content held exclusively; r has
// entered d.
func (r *request) ensure(d *dir) error {
	if !d.watched() {
		if err := r.checkTime(d); err != nil {
			return err
		}
	}
	if d.valid() && r.settle(d) == nil && d.valid() {
		return nil
	}
	return r.build(d)
}

// build reads the folder d, which is under watch, and then looks at what
// changed meanwhile. It runs with content held exclusively. To read it once
// more than was needed to learn its names is a rebuild: others changed more
// than names tell.
func (r *request) build(d *dir) error {
	const tries = 4
	began := time.Now()
	n, err := r.node(d)
	if err != nil {
		return err
	}
	if n.Flags().Has(disk.PathOnly) {
		return errorOf(vfs.KindAccess)
	}
	read := false
	for try := range tries {
		if d.names != nil || d.prints != nil {
			r.t.counts.rebuilds.Add(1)
		}
		if d.q != nil {
			d.builtGen = d.q.gen.Load()
		}
		d.collect()
		if read = try > 0 || !r.unpack(d, n); read {
			if err := r.read(d, n); err != nil {
				d.drop()
				if vfs.IsKind(err, vfs.KindNotExist) {
					return r.gone(d)
				}
				return err
			}
		}
		if d.watched() {
			d.q.drain()
		}
		if err = r.settle(d); err == nil && d.valid() {
			break
		}
	}
	if err != nil {
		d.drop()
		return err
	}
	r.tryFoldingOfAny(d, n)
	d.ready.Store(true)
	if !d.watched() {
		d.clock.built(time.Since(began))
	}
	if !read {
		return nil
	}
	r.t.counts.builds.Add(1)
	r.t.counts.buildTime.Add(int64(time.Since(began)))
	if d.names != nil && d.names.clashes > d.clashed {
		r.t.reportClash(d, d.names.clashing(clashNames))
	}
	return nil
}

// gone notes that the folder d was removed, and has r begin again.
func (r *request) gone(d *dir) error {
	r.t.shape.Lock()
	defer r.t.shape.Unlock()
	d.detach()
	return errAgain
}

// collect begins to note what changes in d.
func (d *dir) collect() {
	d.ready.Store(false)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending, d.overrun, d.collecting = nil, false, true
	d.dirty.Store(false)
	d.invalid.Store(false)
}

// read fills d's index from the disk, by names or, if these would take more
// than the budget has for one folder, by fingerprints.
func (r *request) read(d *dir, n *disk.Node) error {
	t := r.t
	if d.names == nil || d.names.live == 0 {
		d.wasEmpty() // or may have been
	} else {
		d.askFolding(n)
	}
	d.names, d.prints = newIndex(t.fold, t.seed), nil
	if d.watched() {
		d.clock = clock{cost: d.clock.cost, next: d.clock.next}
	} else {
		d.clock.reading(n, t.queues.elsewhere(d.id.dev))
	}
	f := filling{x: d.names}
	left := thirds{}
	err := readAll(n, func(e disk.DirEntry) {
		left.see(e)
		if d.prints == nil {
			if f.add(e.Name, e.Type) && f.bytes() <= d.mayTake() {
				return
			}
			d.abridge()
		}
		d.prints.add(e.Name)
	})
	if d.names != nil {
		if f.end(); !d.fits() {
			d.abridge()
		}
	}
	d.charge()
	if err == nil {
		r.giveBack(d, n, left)
	}
	return err
}

// readAll calls see with each entry of the folder n.
func readAll(n *disk.Node, see func(disk.DirEntry)) error {
	buf := dirBuffers.Get().(*[disk.DirBuffer]byte)
	defer dirBuffers.Put(buf)
	if err := n.SeekDir(0); err != nil {
		return err
	}
	for {
		entries, done, err := n.ReadDir(buf[:])
		if done || err != nil {
			return err
		}
		for e, ok := entries.Next(); ok; e, ok = entries.Next() {
			see(e)
		}
	}
}

var dirBuffers = sync.Pool{New: func() any { return new([disk.DirBuffer]byte) }}
