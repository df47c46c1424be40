package disk

import (
	"sync"

	"golang.org/x/sys/unix"
)

// Watcher is a queue of the changes in a set of folders of one file system
// (one superblock: handles of two can be equal).
//
// A change that another process made is in the queue before its call returns,
// so whoever drains after that sees it. That is the whole point, and why there
// is no goroutine here: the one who asks drains.
type Watcher struct {
	queue notifier
	fd    int

	// mu is held over reading the queue and handing out its events: when
	// Drain returns, all events that were in the queue when it was called
	// were given to some callback. It is below no other lock of this package.
	mu     sync.Mutex
	buf    []byte
	closed bool
}

// notifier is fanotify or inotify.
type notifier interface {
	add(fd int, n *Node, enter func(Handle)) error
	remove(fd int, n *Node, id Handle) error
	// parse takes one event off b; ok is false when it means nothing.
	parse(b []byte) (e Event, size int, ok bool)
}

const (
	watchBuffer = 64 << 10
	// longestEvent is more than an event with the longest handle and name
	// takes. A read that leaves that much room has emptied the queue.
	longestEvent = 4 << 10
)

// NewWatcher opens a queue: fanotify with directory marks where the kernel has
// it (5.9, for ordinary users 5.13), else inotify.
func NewWatcher() (*Watcher, error) {
	if w, err := newFanotify(); err == nil {
		return w, nil
	}
	return newInotify()
}

// NewFanotify opens a queue of directory marks, whose events tell who it was.
func NewFanotify() (*Watcher, error) { return newFanotify() }

// NewInotify opens a queue of the older kind.
func NewInotify() (*Watcher, error) { return newInotify() }

// Add watches the folder n, which was opened for reading. Before the first of
// its events can be drained, enter is called with the Handle they will carry;
// the callback must not call the Watcher. Adding a folder again changes
// nothing but calls enter again.
func (w *Watcher) Add(n *Node, enter func(Handle)) error {
	return w.with(n, func() error { return w.queue.add(w.fd, n, enter) })
}

// Remove ends the watch of n, which Add called id, if leave agrees. Its events may
// still be in the queue. No Add comes between leave and the end of the watch, so
// leave can tell whether somebody else has added the folder since; it must not
// call the Watcher.
func (w *Watcher) Remove(n *Node, id Handle, leave func() bool) error {
	return w.with(n, func() error {
		if !leave() {
			return nil
		}
		return w.queue.remove(w.fd, n, id)
	})
}

func (w *Watcher) with(n *Node, call func() error) error {
	if err := n.begin(OpWatch, ""); err != nil {
		return err
	}
	defer n.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fail(OpWatch, n.name, unix.EBADF)
	}
	return fail(OpWatch, n.name, call())
}

// Drain gives all events that are in the queue to f, and returns when there
// are no more; it does not wait for any. f must be quick and not call the
// Watcher. Drains run one at a time.
func (w *Watcher) Drain(f func(Event)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fail(OpWatch, "", unix.EBADF)
	}
	for {
		// The descriptor is non-blocking and the queue is in memory: no need
		// to tell the scheduler.
		k, err := rawRead(w.fd, w.buf)
		switch {
		case err == unix.EAGAIN:
			return nil
		case err == unix.EINTR:
			continue
		case err != nil:
			return fail(OpWatch, "", err)
		}
		for b := w.buf[:k]; len(b) > 0; {
			e, size, ok := w.queue.parse(b)
			if size <= 0 || size > len(b) {
				return fail(OpWatch, "", unix.EIO)
			}
			if ok {
				f(e)
			}
			b = b[size:]
		}
		if k <= len(w.buf)-longestEvent {
			return nil
		}
	}
}

// Close ends the watch of all folders.
func (w *Watcher) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fail(OpWatch, "", unix.EBADF)
	}
	w.closed = true
	return fail(OpWatch, "", unix.Close(w.fd))
}
