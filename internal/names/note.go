package names

import "github.com/dozo-server/dozo/vfs"

// What is done to a folder is noted in its index, and what that takes in the
// budget.

// fits reports whether the budget has room for d's names.
func (d *dir) fits() bool { return d.names.bytes() <= d.mayTake() }

// mayTake is how much memory the names of one folder may take, in bytes.
func (d *dir) mayTake() int64 { return d.t.account.Limit() / 2 }

// abridge keeps fingerprints instead of names.
func (d *dir) abridge() {
	d.prints = newFingerprints(d.t.fold, d.t.seed)
	for c := d.names.names.cursor(); ; {
		rec, _, ok := c.next()
		if !ok {
			break
		}
		d.prints.add(rec.name)
	}
	d.names = nil
}

// drop forgets the index. It runs with content held exclusively.
func (d *dir) drop() {
	d.ready.Store(false)
	d.mu.Lock()
	d.pending, d.overrun, d.collecting = nil, false, false
	d.dirty.Store(false)
	d.mu.Unlock()
	d.names, d.prints = nil, nil
	d.charge()
}

// charge tells the budget what the index takes now. It runs with content held
// exclusively.
func (d *dir) charge() {
	var bytes int64
	switch {
	case d.names != nil:
		bytes = d.names.bytes()
		d.size.store(d.names.live, false)
	case d.prints != nil:
		bytes = d.prints.bytes()
		d.size.store(d.prints.used, true)
	default:
		d.size.clear()
	}
	if was := d.bytes.Swap(bytes); was != bytes {
		d.t.account.Add(bytes - was)
	}
}

// entered notes in the index that name is in d; removed that it is not. They
// run with content held exclusively.
func (d *dir) entered(name string, typ vfs.Type) (clash bool) {
	switch {
	case d.names != nil:
		if d.names.live == 0 {
			d.wasEmpty()
		}
		var ok bool
		if clash, ok = d.names.add([]byte(name), typ); !ok || !d.fits() {
			d.abridge()
			d.prints.add([]byte(name))
		}
	case d.prints != nil:
		d.prints.add([]byte(name))
	default:
		return false
	}
	d.charge()
	return clash
}

func (d *dir) removed(name string) {
	switch {
	case d.names != nil:
		if !d.names.remove([]byte(name)) && d.folds.Load() != foldsNot {
			d.invalid.Store(true) // it was stored in another spelling
		}
	case d.prints != nil:
		d.prints.remove()
	default:
		d.wasEmpty() // for all that is known
		return
	}
	d.charge()
}

// clashNames is how many spellings a report of a clash has at most.
const clashNames = 8

// reportClash tells of two spellings of one name, unless these are two names.
func (t *Tree) reportClash(d *dir, names []string) {
	if d.names != nil {
		d.clashed = d.names.clashes
	}
	if t.o.Sensitive {
		return
	}
	t.counts.clashes.Add(1)
	t.reportOf(Clash, d, names...)
}

// reportUnwatched reports that d can't be watched, for a limit of the system
// where that has a name.
func (t *Tree) reportUnwatched(d *dir, limit string) {
	t.shape.RLock()
	path := d.path()
	t.shape.RUnlock()
	t.report(Event{Kind: Unwatched, Path: path, Limit: limit})
}
