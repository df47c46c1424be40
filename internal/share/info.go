package share

import (
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// maxShownRanges is how many byte ranges of an open are told.
const maxShownRanges = 64

// OpenInfo describes an open to the status page.
type OpenInfo struct {
	Path     string
	User     string // "" for a guest
	Access   vfs.Access
	Share    Mode
	Oplock   Oplock
	Breaking bool    // and it is to give that up
	Locks    int     // byte ranges held
	Ranges   []Range // of these, the last locked first, 64 at most
	Delete   bool    // goes with its last close, or with this one
	Opened   time.Time
}

// Info describes the open as it is at this moment.
func (o *Open) Info() OpenInfo {
	i := o.info()
	i.Path = o.Path() // without the lock: the FS may have to wait
	return i
}

func (o *Open) info() OpenInfo {
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	return OpenInfo{
		User:     o.tree.caller.User,
		Access:   o.granted,
		Share:    o.share,
		Oplock:   o.oplock.Level(),
		Breaking: o.oplock.Breaking(),
		Locks:    o.ranges.Count(),
		Ranges:   o.ranges.Held(maxShownRanges),
		Delete:   o.deleteOnClose || o.link.doomed,
		Opened:   o.since,
	}
}

// Opens returns how many opens there are.
func (s *Share) Opens() int { return int(s.table.opens.Load()) }
