package lock

// Changes is a set of kinds of changes in a folder. The bits are those of
// CompletionFilter in [MS-SMB2] 2.2.35.
type Changes uint32

// The kinds of changes. EA, the streams and their fellows have no name here as
// long as nothing changes them.
const (
	ChangeFileName   Changes = 0x001 // a file came, went or was renamed
	ChangeDirName    Changes = 0x002 // a folder did
	ChangeAttributes Changes = 0x004
	ChangeSize       Changes = 0x008
	ChangeModified   Changes = 0x010 // the time of modification
	ChangeAccessed   Changes = 0x020
	ChangeBirth      Changes = 0x040
	ChangeSecurity   Changes = 0x100 // owner, group, mode, access control list
)

// Action is what happened to a name. The values are those of [MS-FSCC] 2.7.1.
type Action uint32

// The actions.
const (
	Added      Action = 1 + iota
	Removed           // also: renamed to another folder
	Modified          // not the name, but what it is the name of
	RenamedOld        // the old name; the new one follows
	RenamedNew
)

// Change is one change in a folder.
type Change struct {
	Action Action
	Name   string // from the folder on, with slashes
}

// noticeSize is what [MS-FSCC] 2.7.1 takes for a change beside its name.
const noticeSize = 12

// Notices are the changes that a watch saw and that nobody fetched yet. They
// take no more room than a buffer of FILE_NOTIFY_INFORMATION ([MS-FSCC] 2.7.1)
// that was given for them: what is more is forgotten, and so is all before it,
// since to miss one is to miss all ([MS-FSA] 2.1.5.11).
type Notices struct {
	room    int
	changes []Change
	size    int // of the buffer that holds changes
	missed  bool
}

// Make gives n the room, in bytes.
func (n *Notices) Make(room int) { n.room = room }

// Empty reports whether there is nothing to fetch.
func (n *Notices) Empty() bool { return len(n.changes) == 0 && !n.missed }

// Size is how many bytes the changes take on their way to a client.
func (n *Notices) Size() int { return n.size }

// Add adds a change. Writes to one file in a row are one change.
func (n *Notices) Add(c Change) {
	if n.missed {
		return
	}
	if last := len(n.changes) - 1; last >= 0 && c.Action == Modified && n.changes[last] == c {
		return
	}
	size := (n.size+3)&^3 + noticeSize + 2*units(c.Name)
	if size > n.room {
		n.Miss()
		return
	}
	n.changes, n.size = append(n.changes, c), size
}

// Miss forgets the changes, but not that there were some.
func (n *Notices) Miss() { n.changes, n.size, n.missed = nil, 0, true }

// Take returns the changes and forgets them. missed says that there were others,
// or that these don't fit into room.
func (n *Notices) Take(room int) (changes []Change, missed bool) {
	if n.size > room {
		n.Miss()
	}
	changes, missed = n.changes, n.missed
	n.changes, n.size, n.missed = nil, 0, false
	return changes, missed
}

// units is the length of a name in UTF-16.
func units(name string) int {
	n := 0
	for i := range len(name) {
		switch b := name[i]; {
		case b&0xc0 == 0x80: // not the first of its character
		case b >= 0xf0:
			n += 2
		default:
			n++
		}
	}
	return n
}
