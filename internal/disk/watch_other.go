//go:build !linux

package disk

import "github.com/dozo-server/dozo/vfs"

var errNoWatch = vfs.NewError(string(OpWatch), "", vfs.KindUnsupported, nil)

// Watcher is a queue of the changes in a set of folders. This system has none
// that could be trusted; NewWatcher says so.
type Watcher struct{}

// NewWatcher fails with KindUnsupported.
func NewWatcher() (*Watcher, error) { return nil, errNoWatch }

// NewFanotify fails with KindUnsupported.
func NewFanotify() (*Watcher, error) { return nil, errNoWatch }

// NewInotify fails with KindUnsupported.
func NewInotify() (*Watcher, error) { return nil, errNoWatch }

// Add fails.
func (w *Watcher) Add(n *Node, enter func(Handle)) error { return errNoWatch }

// Remove fails.
func (w *Watcher) Remove(n *Node, id Handle, leave func() bool) error { return errNoWatch }

// Drain fails.
func (w *Watcher) Drain(f func(Event)) error { return errNoWatch }

// Limit names none.
func (w *Watcher) Limit(err error) string { return "" }

// Close does nothing.
func (w *Watcher) Close() error { return nil }
