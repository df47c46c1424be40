package names

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
)

// memory is what indexes and cached folders may take and do take, in bytes.
type memory struct {
	limit atomic.Int64
	used  atomic.Int64
	kick  chan struct{} // wakes the one who tends the Tree
}

// dirBytes is what a cached folder takes without its index: the dir, its
// entries in maps, and the inode that its mark keeps in the kernel.
const dirBytes = 2 << 10

// SetMemory changes Options.Memory of a running Tree.
func (t *Tree) SetMemory(bytes int64) {
	t.memory.limit.Store(bytes)
	t.memory.wake()
}

// charge notes that the index of d takes bytes now. It runs with d's content
// held exclusively.
func (m *memory) charge(d *dir, bytes int64) {
	if bytes == d.charged {
		return
	}
	m.used.Add(bytes - d.charged)
	d.charged = bytes
	if m.used.Load() > m.limit.Load() {
		m.wake()
	}
}

func (m *memory) wake() {
	select {
	case m.kick <- struct{}{}:
	default:
	}
}

// trim drops indexes, and folders that nobody uses, until the Tree is well
// within its budget: first those that were idle the longest, measured by what
// it costs to build them again. What is in use stays, even beyond the budget:
// a folder that is being filled must not be read again for each file.
func (t *Tree) trim() {
	if t.memory.used.Load() <= t.memory.limit.Load() {
		return
	}
	enough := t.memory.limit.Load() / 10 * 9
	all := t.allDirs()
	score := make(map[*dir]float64, len(all))
	at := now()
	for _, d := range all {
		names, _ := d.size.load()
		score[d] = float64(at-d.used.Load()) / float64(costOfDir+costOfName*time.Duration(max(names, 0)))
	}
	slices.SortFunc(all, func(a, b *dir) int { return cmp.Compare(score[b], score[a]) })
	for _, d := range all {
		if t.memory.used.Load() <= enough || score[d] < idleEnough {
			return
		}
		if !t.forget(d) {
			d.evict()
		}
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
	if d.attached {
		d.detach()
	}
	t.adrift--
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
	t.descriptors.closed(d)
	t.memory.used.Add(-dirBytes)
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
	verified := time.Now()
	for kick := t.memory.kick; ; {
		select {
		case <-t.stop:
			return
		case <-kick:
			kick = nil // if that isn't enough, more must wait for the next tick
		case <-drains.C:
			kick = t.memory.kick
			t.drainAll()
			t.tellHeard()
			t.forgetDrifting()
			t.leaveOtherDisks()
			if time.Since(verified) > verifyEvery {
				t.verify()
				verified = time.Now()
			}
		}
		t.trim()
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
			t.descriptors.release(d)
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
