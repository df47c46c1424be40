package names

import (
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
)

// Of folders that were not used for a while only the names are kept, packed: a
// third of the memory, no work for the garbage collector, and no watch in the
// kernel. When such a folder is used again its change time tells whether it
// still is what it was. That is exact, because a folder is packed only when its
// last change is long past: every later one gives it another time.

const (
	// hotFolders are how many cached folders stay as they are.
	hotFolders = 4096
	// packIdle is how long a folder was idle to be packed, packAge how long
	// ago it changed, by the clock that stamps changes: more than the grain of
	// any file system's times.
	packIdle = 500 * time.Millisecond
	packAge  = 3 * time.Second
	// packNames are how many names a folder has at most: those of a larger one
	// take more than what is saved.
	packNames = 1000
)

// packable reports whether each change of a folder gives it another change time
// on file systems of a kind.
func packable(kind string) bool {
	return slices.Contains([]string{"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "f2fs", "zfs", "bcachefs"}, kind)
}

// packIdleFolders packs folders if there are many, those first that were idle
// longest. Who listens to a whole tree keeps it as it is: only what is watched
// can be heard.
func (t *Tree) packIdleFolders() {
	t.shape.RLock()
	surplus := len(t.dirs) - hotFolders
	var idle []*dir
	if surplus > hotFolders/4 && t.hearing.deep.Load() == 0 {
		for _, d := range t.dirs {
			if t.unused(d) && d.packable() && now()-d.used.Load() > int64(packIdle) {
				idle = append(idle, d)
			}
		}
	}
	t.shape.RUnlock()
	slices.SortFunc(idle, func(a, b *dir) int { return int(a.used.Load() - b.used.Load()) })
	for _, d := range idle[:min(max(surplus, 0), len(idle))] {
		t.pack(d)
	}
}

// packable reports whether d is what can be packed. Others are not even tried:
// there may be many, again and again.
func (d *dir) packable() bool {
	names, indexed := d.size.load()
	return d.q != nil && d.q.packable && d.folds.Load() != foldsItself &&
		names <= packNames && !(indexed && d.size.prints.Load())
}

// pack packs d if nobody uses it and it is what can be packed. If nothing is
// known of it that is right still, it is forgotten.
func (t *Tree) pack(d *dir) {
	r := request{t: t}
	defer r.end()
	if !r.hold(d) || !d.content.TryLock() {
		return
	}
	known := d.names != nil && d.valid() && d.watched()
	var p packed
	ok := d.packable()
	if ok && known {
		p, ok = r.pack(d)
	}
	d.content.Unlock()
	r.end()
	if !ok {
		return
	}
	if known {
		t.packs.put(d.id, p) // first, or who comes between would read the folder
	}
	if !t.forget(d) && known { // somebody uses it by now
		t.packs.take(d.id)
	}
}

// pack returns what is to be kept of d, whose index is right but for what is
// pending. It runs with content held exclusively. What it returns is the folder's
// state at the change time in it: the event of the change that set this time is
// in the queue by then, however long that took.
func (r *request) pack(d *dir) (p packed, ok bool) {
	n, err := r.node(d)
	if err != nil {
		return p, false
	}
	d.q.drain()
	if !d.valid() || !d.watched() || r.settle(d) != nil {
		return p, false
	}
	changed, err := n.ChangeTime()
	if err != nil || disk.Clock().Sub(changed) < r.t.packs.age || awaitChange(n) != nil {
		return p, false
	}
	d.q.drain()
	if d.dirty.Load() || d.names == nil || !d.valid() || !d.watched() {
		return p, false
	}
	var a arena
	for c := d.names.names.cursor(); ; {
		rec, _, ok := c.next()
		if !ok {
			break
		}
		if _, ok := a.add(rec.name, rec.typ, rec.alias); !ok {
			return p, false
		}
	}
	p = packed{changed: changed, count: d.names.live}
	if len(a.chunks) > 0 {
		p.names = a.chunks[0]
	}
	return p, len(a.chunks) < 2
}

// awaitChange returns when no change of the folder n that has set its change time
// is still to tell of itself. Such a call has the folder locked until it has told,
// and may wait for a disk meanwhile; to read the folder waits for the lock.
func awaitChange(n *disk.Node) error {
	var entry [512]byte
	if err := n.SeekDir(0); err != nil {
		return err
	}
	_, _, err := n.ReadDir(entry[:])
	return err
}

// unpack fills d's index with what was packed of it, if that is right still. It
// runs with content held exclusively; d is under watch and notes what changes.
func (r *request) unpack(d *dir, n *disk.Node) bool {
	p, ok := r.t.packs.take(d.id)
	if !ok || !d.watched() {
		return false
	}
	if changed, err := n.ChangeTime(); err != nil || !changed.Equal(p.changed) {
		return false
	}
	d.names, d.prints = newIndex(r.t.fold, r.t.seed), nil
	for c := (cursor{chunks: [][]byte{p.names}}); ; {
		rec, _, ok := c.next()
		if !ok {
			break
		}
		if _, ok := d.names.add(rec.name, rec.typ); !ok {
			return false
		}
	}
	d.names.trim()
	d.charge()
	return true
}

var _ budget.Keeper = (*packs)(nil)
