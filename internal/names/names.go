// Package names finds and makes names in the folders of a volume.
//
// Names are case-insensitive and case-preserving on any file system, at a cost
// that does not grow with the folder, and exact while local processes change
// the same folders: a change that returned before a request began is seen by
// it. docs/names.md draws the protocol that makes it so.
//
// Every change of a directory that the program makes goes through this
// package, without exception: own changes are told from foreign ones by the
// process's id alone and are not looked at again.
package names

import (
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
)

// Options say how the names of a Tree compare and what it may use. The zero
// Options are those of an ordinary share.
type Options struct {
	// Path is where the root is. Absolute symbolic links are followed when
	// they point below it.
	Path string

	// Sensitive makes names that differ in case different names. A single
	// call can ask for the same with exact.
	Sensitive bool
	// NoNormalization makes composed and decomposed spellings different
	// names, as Windows has it.
	NoNormalization bool

	// ChangeCase gives new names the default case instead of their
	// creator's; ChangeShortCase does so only to names of 8.3 form that are
	// upper-case throughout; DefaultUpper makes upper-case the default, which
	// is lower-case else. They are Samba's preserve case, short preserve case
	// and default case.
	ChangeCase      bool
	ChangeShortCase bool
	DefaultUpper    bool

	// ShortNames gives names that are not of 8.3 form another one that is.
	ShortNames bool

	// Budget bounds the bytes that indexes and cached folders take, together
	// with what else shares it; nil means a default one for this Tree. A folder
	// that does not fit keeps fingerprints of its names and goes a little over
	// rather than slow.
	Budget *budget.Budget
	// Descriptors bounds the open folders, together with those of other Trees
	// that share it; nil means a default one for this Tree.
	Descriptors *Descriptors

	// Beside, if set, reports whether the entry name of the folder, which is called
	// as what stands beside another, really is that. It acts as the process.
	Beside func(folder *disk.Node, name string) bool

	// Coherence selects how changes of other processes are learned; the zero
	// value takes the best that works. Tests and the doctor use the others.
	Coherence Coherence

	// Report, if set, is told what an administrator should know. It must not
	// block nor call the Tree and may be called by several goroutines at once.
	Report func(Event)

	// Mounted, if set, is called after something was mounted or unmounted on
	// the machine, before a request that begins later looks at a disk. It must
	// not block nor call the Tree.
	Mounted func()
}

// Coherence is a way to learn of other processes' changes.
type Coherence uint8

// The ways, best first.
const (
	Best        Coherence = iota // the first of the others that works here
	Fanotify                     // directory marks that name what changed and who did it
	Inotify                      // the same without who
	Generations                  // change times alone: exact for folders the server does not write, bounded for others
)

// Event is something an administrator should know.
type Event struct {
	Kind  EventKind
	Path  string   // of the folder, from the root
	Names []string // some of those concerned
	Limit string   // of Unwatched: the system's setting that is too low, if that is why
}

// EventKind says what an Event is about.
type EventKind uint8

// The kinds of events.
const (
	// Clash: a local process made a second spelling of a name. Both stay.
	Clash EventKind = iota + 1
	// Overflow: more changes than the system remembers; folders are read again.
	Overflow
	// Unwatched: a folder can't be watched, so changes in it may be seen late.
	Unwatched
	// Unannounced: a folder changed and nobody told; it was read again.
	Unannounced
	// Misnamed: the first name stands for the second on disk, because the disk
	// refused to give that back. Somebody should rename it.
	Misnamed
)

// Stats is what a Tree did and holds.
type Stats struct {
	Coherence Coherence // of the root's file system

	Folders       int   // cached
	Fanotify      int   // of these, under watch that way
	Inotify       int   // of these, that way; the rest goes by change times
	Marks         int   // set in the kernel: each keeps an inode in its memory
	Packed        int   // more folders, of which only the names are kept
	Open          int   // descriptors of cached folders
	Indexed       int   // folders with an index
	Fingerprinted int   // of these, by fingerprints, which are no names
	Names         int   // in all indexes
	Memory        int64 // bytes taken, but for what marks take in the kernel

	Builds      int64         // indexes built since the start
	BuildTime   time.Duration // spent on them
	Rebuilds    int64         // of these, because others changed a folder beyond what names tell
	Searches    int64         // folders read for one name, for want of memory
	Rechecks    int64         // names looked at because others changed them
	Overflows   int64
	Clashes     int64
	Withdrawn   int64 // creates undone because a local process was first
	Unannounced int64
}
