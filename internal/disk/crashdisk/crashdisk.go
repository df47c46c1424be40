// Package crashdisk is a disk that loses its power. It lets all calls go on to
// the system and writes down what they did; later it makes every state that the
// disk could be in, had the power gone after any one of them.
//
//	d, err := crashdisk.New(dir, nil)
//	root, err := disk.OpenRootWith(dir, d)
//	...                                            what is to be tested
//	for cut := range d.Events() + 1 {
//		err := d.Restore(elsewhere, cut, crashdisk.Torn(rng))
//		...                                    open it, and look
//	}
//
// What a sync of a file returned for is there in every state; of what was
// written later any sector of 512 bytes may have arrived or not, in whatever
// order, each as it was after one of the writes, and so may any change of the
// size. What was done to the entries of a folder is there in every state once
// the folder was synced; until then each change for itself may be lost. That is
// less than file systems with a journal promise, and all that POSIX does. After a
// sync of a file that did not go well, what it was to write stays uncertain,
// whatever later syncs say, until the same sector is written again.
package crashdisk

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
)

// Disk is a disk.Witness that remembers. It is safe for concurrent use.
type Disk struct {
	faults disk.Faults
	before map[string][]byte // the files that were there; all else is in the events
	dirs   []string          // the folders that were there

	mu      sync.Mutex
	events  []event
	syncing map[string]int // events when the sync of a path began
}

// event is a call that went well, or a sync that did not.
type event struct {
	disk.Call
	synced int  // OpSync: what it was asked to sync are the events before
	failed bool // OpSync: what it was asked to sync may never be
}

// New returns a disk for the folder dir, whose present content counts as synced.
// faults, unless nil, decides first what calls do.
func New(dir string, faults disk.Faults) (*Disk, error) {
	d := &Disk{faults: faults, before: map[string][]byte{}, syncing: map[string]int{}}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if e.IsDir() {
			d.dirs = append(d.dirs, rel)
			return nil
		}
		d.before[rel], err = os.ReadFile(name)
		return err
	})
	return d, err
}

// Before implements disk.Faults.
func (d *Disk) Before(c disk.Call) (int, unix.Errno) {
	if c.Op == disk.OpSync {
		d.mu.Lock()
		d.syncing[path.Clean(c.Path)] = len(d.events)
		d.mu.Unlock()
	}
	if d.faults == nil {
		return 0, 0
	}
	limit, errno := d.faults.Before(c)
	if c.Op == disk.OpSync && errno != 0 {
		d.add(c, true)
	}
	return limit, errno
}

// Done implements disk.Witness.
func (d *Disk) Done(c disk.Call) {
	c.Data = slices.Clone(c.Data)
	d.add(c, false)
}

func (d *Disk) add(c disk.Call, failed bool) {
	c.Path = path.Clean(c.Path)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, event{c, d.syncing[c.Path], failed})
}

// Events returns how many calls there were that changed or opened something.
func (d *Disk) Events() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.events)
}

// Event describes one of them, for the words of a test that fails.
func (d *Disk) Event(i int) disk.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.events[i].Call
}

// Restore makes in the empty folder dir what the disk holds if the power goes
// after so many events, and fate decides what becomes of the rest.
func (d *Disk) Restore(dir string, events int, fate Fate) error {
	d.mu.Lock()
	log := d.events[:events]
	d.mu.Unlock()
	m := newModel(d.before, d.dirs)
	for i, e := range log {
		m.play(i, e)
	}
	return m.write(dir, fate)
}
