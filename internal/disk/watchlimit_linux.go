package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Limit names the setting of the system that err, of Add, says is too low: what
// one user may watch. "" if it says something else.
func (w *Watcher) Limit(err error) string {
	if !errors.Is(err, unix.ENOSPC) {
		return ""
	}
	if _, old := w.queue.(inotify); old {
		return "fs.inotify.max_user_watches"
	}
	return "fs.fanotify.max_user_marks"
}
