package disk

import "sync"

// mounts is who wants to know that the mount table changed.
var mounts struct {
	sync.Mutex
	next    int
	callers map[int]func()
	stop    func() // ends the goroutine that waits for changes
}

// OnMountChange calls f, from a goroutine of its own, each time that something
// is mounted or unmounted anywhere on the machine, until stop is called. f must
// be quick. An error means that the system has no such notice.
func OnMountChange(f func()) (stop func(), err error) {
	mounts.Lock()
	defer mounts.Unlock()
	if mounts.stop == nil {
		if mounts.stop, err = watchMounts(mountsChanged); err != nil {
			return nil, err
		}
	}
	if mounts.callers == nil {
		mounts.callers = map[int]func(){}
	}
	id := mounts.next
	mounts.next++
	mounts.callers[id] = f
	return func() { forgetMounts(id) }, nil
}

func forgetMounts(id int) {
	mounts.Lock()
	delete(mounts.callers, id)
	stop := mounts.stop
	if len(mounts.callers) > 0 {
		stop = nil
	} else {
		mounts.stop = nil
	}
	mounts.Unlock()
	if stop != nil {
		stop() // waits for a callback in flight, so not under the lock
	}
}

func mountsChanged() {
	mounts.Lock()
	defer mounts.Unlock()
	for _, f := range mounts.callers {
		f()
	}
}
