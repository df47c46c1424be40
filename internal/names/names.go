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
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Options say how the names of a Tree compare and what it may use. The zero
// Options are those of an ordinary share.
type Options struct {
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

	// Memory bounds the bytes that indexes and cached folders take; 0 means
	// 64 MiB. A folder that does not fit keeps fingerprints of its names and
	// goes a little over rather than slow.
	Memory int64
	// Descriptors bounds the open folders; 0 means a quarter of what the
	// process may open.
	Descriptors int

	// Coherence selects how changes of other processes are learned; the zero
	// value takes the best that works. Tests and the doctor use the others.
	Coherence Coherence

	// Report, if set, is told what an administrator should know. It must not
	// block and may be called by several goroutines at once.
	Report func(Event)
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
	Path  string // of the folder, relative to the share
	Names []string
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
)

// Tree is the names below one root. All methods may be called by several
// goroutines at once.
//
// Paths are as in package vfs: relative to the root, "/" between components,
// "" for the root. With exact true only the spelling given counts; otherwise
// the exact spelling is preferred and any other that folds alike is taken.
// Symbolic links on the way are followed as long as they stay inside the root.
// Errors are *vfs.Error: KindPathNotExist for a missing component on the way,
// KindNotExist for the last one, KindOutside and KindLoop for links.
//
// The name ".dozo" in the root is not there for callers.
type Tree struct {
	treeState
}

// New returns the Tree below root, which it closes with Close, also when it
// fails.
func New(root *disk.Node, o Options) (*Tree, error) { return newTree(root, o) }

// Close ends the Tree and waits for what it runs. Places and Listers must not
// be used afterwards.
func (t *Tree) Close() error { return t.close() }

// Place is a name in use: a folder and the spelling stored in it. All who hold
// a Place of one name share it, and it follows renames by this process, of the
// name itself and of the folders above it; those by local processes it
// follows as far as they keep the name in its folder. The Place of the root
// can be neither renamed nor removed.
type Place struct {
	placeState
}

// Path returns the path as it is stored now, "" for the root.
func (p *Place) Path() string { return p.path() }

// Name returns the last component of Path.
func (p *Place) Name() string { return p.lastName() }

// Retain adds a user to p.
func (p *Place) Retain() { p.retain() }

// Release ends one use of p. Every Place returned by a Tree has one use.
func (p *Place) Release() { p.release() }

// Open opens what stands at path with the rights of c. It follows a symbolic
// link at the end unless how has disk.NoFollow. how must not hold disk.Create,
// disk.Exclusive or disk.Truncate.
func (t *Tree) Open(ctx context.Context, c *disk.Cred, path string, how disk.How, exact bool) (*disk.Node, *Place, error) {
	return t.open(ctx, c, path, how, exact)
}

// Create makes a file that was not there and opens it: KindExist when a name
// that compares equal is there, also when a local process made it this very
// moment. Whoever would open that one then asks Open again. disk.Create and
// disk.Exclusive are added to how.
func (t *Tree) Create(ctx context.Context, c *disk.Cred, path string, how disk.How, exact bool) (*disk.Node, *Place, error) {
	return t.create(ctx, c, path, how, exact)
}

// Mkdir makes a folder with the permission bits mode and opens it.
func (t *Tree) Mkdir(ctx context.Context, c *disk.Cred, path string, mode uint32, exact bool) (*disk.Node, *Place, error) {
	return t.mkdir(ctx, c, path, mode, exact)
}

// Symlink makes a symbolic link whose content is target and opens the link
// itself, as disk.PathOnly.
func (t *Tree) Symlink(ctx context.Context, c *disk.Cred, path, target string, exact bool) (*disk.Node, *Place, error) {
	return t.symlink(ctx, c, path, target, exact)
}

// Rename moves what stands at p, provided it is still n, to the path to: p
// follows. With replace a target that is no folder is replaced in one step.
// A change of case alone is a rename. Errors: KindExist for a target that may
// not be replaced, KindIsDir for a folder in the way of replace, KindNotExist
// when p's name is gone or belongs to another node by now.
func (t *Tree) Rename(ctx context.Context, c *disk.Cred, p *Place, n *disk.Node, to string, replace, exact bool) error {
	return t.rename(ctx, c, p, n, to, replace, exact)
}

// Link gives n, which need not stand at a name any more, the further name to,
// with the rules of Rename.
func (t *Tree) Link(ctx context.Context, c *disk.Cred, n *disk.Node, to string, replace, exact bool) error {
	return t.link(ctx, c, n, to, replace, exact)
}

// Remove takes away the name p, provided it still is n's: KindNotExist when
// it is gone or another's, which is left alone; KindNotEmpty.
func (t *Tree) Remove(ctx context.Context, c *disk.Cred, p *Place, n *disk.Node) error {
	return t.remove(ctx, c, p, n)
}

// Entry is a name in a folder.
type Entry struct {
	Name  string   // as stored; use it with the folder's disk.Node
	Shown string   // as clients see it: Name, with private characters, or an alias
	Type  vfs.Type // 0 when the file system does not tell
}

// Lookup finds one entry of the folder at dir, without opening it. c must be
// allowed to search the folder.
func (t *Tree) Lookup(ctx context.Context, c *disk.Cred, dir *Place, name string, exact bool) (Entry, error) {
	return t.lookup(ctx, c, dir, name, exact)
}

// List begins an enumeration of the folder at dir, opened as n. Whether the
// caller may read the folder was decided when n was opened.
func (t *Tree) List(ctx context.Context, dir *Place, n *disk.Node) (*Lister, error) {
	return t.list(ctx, dir, n)
}

// Lister is one enumeration of a folder, for one caller at a time.
type Lister struct {
	listerState
}

// Next fills entries and returns how many, with io.EOF when there are no more.
// Every entry that is there from List to the end is seen exactly once while
// others come and go; these are seen once or not at all, so an entry may be
// gone when it is looked at. "." and ".." are not among them.
func (l *Lister) Next(ctx context.Context, entries []Entry) (int, error) { return l.next(ctx, entries) }

// Close frees what the enumeration holds.
func (l *Lister) Close() error { return l.close() }

// SetMemory changes Options.Memory of a running Tree.
func (t *Tree) SetMemory(bytes int64) { t.setMemory(bytes) }

// Stats is what a Tree did and holds.
type Stats struct {
	Folders      int   // cached
	Indexed      int   // of these, with an index
	Names        int   // in all indexes
	Memory       int64 // bytes taken
	Watched      int
	Builds       int64         // indexes built since the start
	BuildTime    time.Duration // spent on them
	Overflows    int64
	Clashes      int64
	Withdrawn    int64 // creates undone because a local process was first
	Unannounced  int64
	Coherence    Coherence
	FoldedByDisk bool // the root's file system compares without case by itself
}

// Stats returns figures for the status page.
func (t *Tree) Stats() Stats { return t.stats() }
