package share

import (
	"context"
	"slices"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// Changes is a set of kinds of changes in a folder.
type Changes = lock.Changes

// Change is one change in a folder, as a watch tells it.
type Change = lock.Change

// WatchRequest says which changes in a folder are of interest.
type WatchRequest struct {
	// Only the first request of an open has a say in these.
	Changes   Changes
	Recursive bool // those in all folders below, too

	// Room is how many bytes of FILE_NOTIFY_INFORMATION ([MS-FSCC] 2.7.1) the
	// caller takes. The first request's is also what is kept between requests.
	Room int
}

// watch is the interest of an open in the changes in its folder ([MS-FSA]
// 2.1.1.1, ChangeNotifyEntry). It begins with the first request and ends with
// the open; what happens between requests is kept for the next. watches.mu
// guards what changes.
type watch struct {
	open      *Open
	changes   Changes
	recursive bool

	path    string // where it stands in watches.byPath
	next    *watch // there
	notices lock.Notices
	waiting []*watcher
	ended   bool
	stop    func() // of vfs.Watcher, if any
}

// watcher is a request that waits. All but room is set before done is closed.
type watcher struct {
	room    int
	done    chan struct{}
	changes []Change
	missed  bool
	failure vfs.Kind // 0: none
}

// Watch returns what changed in the folder since the last call returned, and
// waits if nothing did ([MS-FSA] 2.1.5.11). The first call begins the watch. Of
// several that wait, the first is served first. missed says that there was more
// than found room, and the caller must look for himself. It needs ListDir.
// Errors: KindNotDir, KindDeletePending when the folder goes with its last
// close, KindClosed when the open was closed meanwhile, KindCanceled.
//
// Changes in folders below that the caller may not list are not told.
func (o *Open) Watch(ctx context.Context, r WatchRequest) (changes []Change, missed bool, err error) {
	c := o.call(ctx, "watch")
	if err := o.need(c.op, vfs.ListDir); err != nil {
		return nil, false, err
	}
	if !o.IsDir() {
		return nil, false, o.fail(c.op, vfs.KindNotDir)
	}
	for len(changes) == 0 && !missed && err == nil {
		var q *watcher
		if q, err = o.beginWatch(&c, r); err != nil {
			return nil, false, err
		}
		if changes, missed, err = o.awaitChanges(&c, q); !missed && err == nil {
			changes = o.mayKnow(ctx, changes)
		}
	}
	return changes, missed, err
}

// beginWatch makes a request wait, and the watch if it is the first.
func (o *Open) beginWatch(c *call, r WatchRequest) (*watcher, error) {
	q := &watcher{room: r.Room, done: make(chan struct{})}
	first, err := o.enqueue(c, r, q)
	if err == nil && first {
		o.watchOthers(c.ctx)
	}
	return q, err
}

func (o *Open) enqueue(c *call, r WatchRequest, q *watcher) (first bool, err error) {
	s := &o.tree.share.watches
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	switch {
	case o.closed:
		return false, c.fail(vfs.KindClosed)
	case o.link.doomed:
		return false, c.fail(vfs.KindDeletePending)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first = o.watch == nil; first {
		o.watch = &watch{open: o, changes: r.Changes, recursive: r.Recursive}
		o.watch.notices.Make(r.Room)
		s.count.Add(1)
		s.enter(o.watch)
	} else if o.place() != o.watch.path { // something above it was moved by others
		s.leave(o.watch)
		s.enter(o.watch)
	}
	o.watch.waiting = append(o.watch.waiting, q)
	s.deliver(o.watch)
	return first, nil
}

// watchOthers has the FS tell what others than its callers do in the folder, if
// it can.
func (o *Open) watchOthers(ctx context.Context) {
	fs, ok := o.tree.share.fs.(vfs.Watcher)
	if !ok {
		return
	}
	s, w := &o.tree.share.watches, o.watch
	// The watch goes on even if its first request does not.
	stop, err := fs.Watch(context.WithoutCancel(ctx), o.file, w.recursive, func(e vfs.Event) { s.reportOther(w, e) })
	if err != nil {
		return // then it does not hear of them
	}
	s.mu.Lock()
	ended := w.ended
	w.stop = stop
	s.mu.Unlock()
	if ended {
		stop()
	}
}

// awaitChanges waits for what q asks for.
func (o *Open) awaitChanges(c *call, q *watcher) ([]Change, bool, error) {
	select {
	case <-q.done:
	default:
		c.park(wait{}) // for nobody
		select {
		case <-q.done:
		case <-c.ctx.Done():
			if o.tree.share.watches.giveUp(o.watch, q) {
				return nil, false, vfs.NewError(c.op, "", vfs.KindCanceled, c.ctx.Err())
			}
			<-q.done // at just this moment
		}
	}
	if q.failure != 0 {
		return nil, false, c.fail(q.failure)
	}
	return q.changes, q.missed, nil
}

// mayKnow returns the changes but for those of names that clients do not see, and
// those in folders below that the caller may not list. What is gone is judged by
// what it was in.
func (o *Open) mayKnow(ctx context.Context, changes []Change) []Change {
	known := map[string]bool{"": true}
	var may func(folder string) bool
	may = func(folder string) bool {
		if ok, asked := known[folder]; asked {
			return ok
		}
		path := folder
		if top := o.place(); top != "" {
			path = top + "/" + folder
		}
		f, err := o.tree.share.fs.Open(context.WithoutCancel(ctx), o.tree.caller, path, vfs.OpenOptions{Access: vfs.ListDir, NoFollow: true})
		switch {
		case err == nil:
			f.Close()
			known[folder] = true
		case vfs.IsKind(err, vfs.KindNotExist), vfs.IsKind(err, vfs.KindPathNotExist):
			known[folder] = may(parent(folder))
		}
		return known[folder]
	}
	seen := func(name string) bool { return o.tree.options.filter.seen(&call{}, name) == nil }
	return slices.DeleteFunc(changes, func(c Change) bool { return !seen(c.Name) || !may(parent(c.Name)) })
}
