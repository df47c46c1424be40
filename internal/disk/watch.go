package disk

// Event says that an entry of a watched folder, or the folder itself, may have
// changed. It names what to look at and never what to believe: the system
// merges events, and their order on one name is lost.
type Event struct {
	// Dir is the folder, as Add called it. The zero Handle when the queue
	// overflowed: then anything may have changed in any folder of the watcher.
	Dir Handle

	// Name is the entry, valid only during the call. Empty when the folder's
	// own attributes changed, its permissions among them, or when the watch
	// ended (Gone).
	Name []byte

	Own  bool // caused by this process; always false where the system does not tell
	Gone bool // the folder is no longer watched
}

// Overflow reports whether events were lost.
func (e Event) Overflow() bool { return e.Dir.IsZero() }
