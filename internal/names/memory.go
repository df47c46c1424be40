package names

import (
	"time"

	"github.com/dozo-server/dozo/internal/budget"
)

// dirBytes is what a cached folder takes without its index: the dir and its
// entries in maps. The inode that its mark keeps in the kernel is not in it.
const dirBytes = 1 << 10

// kept are the indexes and cached folders of a Tree, as its budget sees them.
type kept struct{ t *Tree }

// Items returns the indexes, and the folders that nobody uses, but for those
// that were used a moment ago. These stay, even beyond the budget: a folder
// that is being filled must not be read again for each file.
func (k kept) Items() []budget.Item {
	k.t.shape.RLock()
	defer k.t.shape.RUnlock()
	all := make([]budget.Item, 0, len(k.t.dirs))
	at := now()
	for _, d := range k.t.dirs {
		names, _ := d.size.load()
		cost := costOfDir + costOfName*time.Duration(max(names, 0))
		i := budget.Item{Idle: float64(at-d.used.Load()) / float64(cost), Bytes: d.bytes.Load(), What: d}
		if k.t.unused(d) {
			i.Bytes += dirBytes
		}
		if i.Bytes > 0 && i.Idle >= idleEnough {
			all = append(all, i)
		}
	}
	return all
}

// Drop drops a folder, or at least its index.
func (k kept) Drop(i budget.Item) {
	if d := i.What.(*dir); !k.t.forget(d) {
		d.evict()
	}
}

const (
	// What it costs to build an index again, on ext4 in the page cache.
	costOfDir  = 50 * time.Microsecond
	costOfName = 600 * time.Nanosecond

	// idleEnough is how many times as long an index must have been idle to
	// be dropped: building takes a twentieth of the time at most.
	idleEnough = 20
)

// evict drops the index of d unless it is in use.
func (d *dir) evict() {
	if d.content.TryLock() {
		defer d.content.Unlock()
		d.drop()
	}
}

// hold pins d, which may have left the cache meanwhile, and reports whether
// it is still there.
func (r *request) hold(d *dir) bool {
	r.t.shape.RLock()
	defer r.t.shape.RUnlock()
	if r.t.dirs[d.id] != d {
		return false
	}
	r.pin(d)
	return true
}

// forget takes d out of the cache if nobody uses it, and reports whether it
// did.
func (t *Tree) forget(d *dir) bool {
	t.shape.RLock()
	unused := t.unused(d)
	t.shape.RUnlock()
	if !unused {
		return false
	}
	if d.watchGen.Load() != 0 {
		// Only an open folder can be taken from under watch.
		r := request{t: t}
		if r.hold(d) {
			r.node(d)
		}
		r.end()
	}
	t.shape.Lock()
	if !t.unused(d) {
		t.shape.Unlock()
		return false
	}
	d.detach()
	t.adrift--
	d.unhang()
	delete(t.dirs, d.id)
	t.shape.Unlock()

	// Nobody finds d any more, but for drains that found it in a queue's
	// table just before; they only leave a note.
	d.unwatch()
	d.content.Lock()
	d.drop()
	d.content.Unlock()
	d.mu.Lock()
	if d.node != nil {
		d.node.Close()
		d.node = nil
	}
	d.mu.Unlock()
	t.o.Descriptors.closed(d)
	t.account.Add(-dirBytes)
	return true
}

// How often the Tree is tended.
const (
	drainEvery  = 100 * time.Millisecond // so that a queue can't grow
	verifyEvery = 3 * time.Second
	verifyDirs  = 200              // at most so many each time
	driftTime   = 10 * time.Second // a folder that is nowhere is kept so long
)

// tend does what is nobody's request, until the Tree is closed.
func (t *Tree) tend() {
	drains := time.NewTicker(drainEvery)
	defer drains.Stop()
	verified, packed := time.Now(), time.Now()
	var trimmed time.Time
	for exceeded := t.account.C(); ; {
		select {
		case <-t.stop:
			return
		case <-exceeded:
			exceeded = nil // if that isn't enough, more must wait for the next tick
		case <-drains.C:
			exceeded = t.account.C()
			t.lookForMounts()
			t.drainAll()
			t.tellHeard()
			t.forgetDrifting()
			t.leaveOtherDisks()
			if time.Since(packed) > packIdle {
				t.packIdleFolders()
				packed = time.Now()
			}
			if time.Since(verified) > verifyEvery {
				t.verify()
				verified = time.Now()
			}
		}
		if began := time.Now(); began.After(trimmed) {
			t.account.Trim()
			t.packs.account.Trim()
			trimmed = time.Now()
			if t.account.Exceeded() { // all is in use: to look for more is not worth much
				trimmed = trimmed.Add(dutyCycle * time.Since(began))
			}
		}
	}
}

// leaveOtherDisks closes idle folders of file systems that are mounted below
// the root: an open one would keep an administrator from unmounting them.
func (t *Tree) leaveOtherDisks() {
	if t.queues.systems() < 2 {
		return
	}
	for _, d := range t.allDirs() {
		if d.id.dev != t.root.id.dev {
			t.o.Descriptors.release(d)
		}
	}
}

// forgetDrifting forgets folders that are no longer where they were seen and
// that nobody found elsewhere.
func (t *Tree) forgetDrifting() {
	t.shape.RLock()
	var adrift []*dir
	if t.adrift > 1 { // the root hangs nowhere
		for _, d := range t.dirs {
			if !d.attached && now()-d.used.Load() > int64(driftTime) {
				adrift = append(adrift, d)
			}
		}
	}
	t.shape.RUnlock()
	for _, d := range adrift {
		t.forget(d)
	}
}
