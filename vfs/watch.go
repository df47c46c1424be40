package vfs

import "context"

// Watcher is implemented by an FS whose tree others change, too, and that can
// notice it: local programs, for instance.
type Watcher interface {
	// Watch calls tell for each name that others than the FS's callers made,
	// took away or renamed in the folder, until stop is called. With below it
	// also tells of the folders below, of those at least that were used
	// lately. An event may come late, and twice, and for a name that went and
	// came back; that a name is there is the truth of that moment. tell is
	// called without locks held by one goroutine at a time; it must not
	// block. KindUnsupported where nothing can be noticed.
	Watch(ctx context.Context, folder File, below bool, tell func(Event)) (stop func(), err error)
}

// Event is a change that others made.
type Event struct {
	// Name is where it happened, from the folder on and as listings show it.
	// "" with Gone: the folder itself was removed. "" without: events were lost,
	// and anything may have happened.
	Name string
	Type Type // of what is there; 0 when that is not known
	Gone bool // the name is there no longer
}
