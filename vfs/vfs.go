// Package vfs is the contract between the protocols and a tree of files.
//
// Above it stand the protocols, which know no disk; below it stand volumes,
// which know no protocol. A program that embeds dozo serves anything that
// implements FS: a folder, an archive, a database. Package memfs is a complete
// example, examples/zipfs a short one that is read-only, and package vfstest a
// suite that every FS must pass.
//
// # What an FS promises
//
// Names are found by their folded spelling where Features say so, and listed and
// returned in the stored one. A node has one Key as long as it is open, and one
// Attr.ID for good. A listing shows each entry that stays once, whatever comes and
// goes meanwhile. What Open and Create grant is what later calls may do: a right
// that is taken away later counts at the next Open, and a call without the right
// for it is KindNotGranted. A write that was answered is read by whoever reads
// next, by any File of the node; it survives a crash when Sync has returned.
//
// An FS does not look at who else has a file open: share modes, locks, oplocks,
// delete-on-close and notices of changes by clients are the caller's work, for any
// FS. Where others change the tree as well, Watcher lets clients hear of it.
//
// Beside its data a file may have named streams, and what Macs know of it: Streamer
// and MacFile are for an FS that keeps such things.
//
// An FS that can't change says ReadOnly in its Features, grants no right of
// Changing, and answers what would change it with KindReadOnly.
//
// # Errors
//
// Every error is an *Error with a Kind, or wraps one: the Kind is what a client is
// told, in its protocol's words. Another error is KindInternal, which is logged,
// and looks like a fault of the server. io.EOF stands alone, where io.ReaderAt and
// Lister have it. Each method names the Kinds that callers tell apart; beside them
// any may be returned that is true. A call that ended because its context did is
// KindCanceled, and did all or nothing, but for a write.
//
// # Names and paths
//
// A path is relative to the root of the FS: components separated by "/", no
// leading or trailing "/", "" for the root itself. Components are never empty,
// "." or "..", never hold "/" or NUL, and are UTF-8, or WTF-8 where a client
// sent lone surrogates: three bytes for each, ED A0 80 to ED BF BF, which an FS
// may store as they are or refuse with KindInvalidName. How names that differ
// only in case or composition compare is the FS's own rule; a caller that wants
// the exact spelling alone says so with Exact. The spelling of the creator is
// kept.
//
// # Symbolic links
//
// To most clients there are no symbolic links: where one leads is none of their
// business, but that it takes them there is. So, unless NoFollow is asked for,
//
//   - a link is what it leads to, under the link's name. Key, attributes and data
//     of the File are the target's; Path, Remove and Rename are the link's.
//     Nothing that is done to a name reaches the target.
//   - a link that leads nowhere, out of the tree, round in a circle or where the
//     caller may not go is an empty file, so that it can be seen and removed. It
//     is opened for anything but data, which it has none of: KindNotExist, or
//     KindAccess for the last.
//   - listings show both in the same way.
//
// With NoFollow a link at the end of a path is a node of its own, and a folder
// opened so lists links as links. On the way of a path links are followed in any
// case, and never to a place outside the tree.
//
// # Who waits, who calls
//
// Context and Caller come first in every call that may wait or touch a disk.
// All methods may be called by several goroutines at once. A Caller without an
// account of the machine, or nil, acts as whoever owns the FS. No call both opens
// and destroys: Open never truncates, Create never replaces, so whoever holds
// share modes and locks can look before anything is lost.
package vfs

import "context"

// FS is a tree of files.
type FS interface {
	// Open opens what stands at path. Errors: KindNotExist for a missing last
	// component, KindPathNotExist for one before it, KindAccess when the
	// caller lacks a right of o.Access.
	Open(ctx context.Context, c *Caller, path string, o OpenOptions) (File, error)

	// Create makes a new file or folder and opens it. Errors: KindExist when
	// a name that compares equal is there already, KindPathNotExist when its
	// folder is missing, KindInvalidName for a name this FS can't hold.
	Create(ctx context.Context, c *Caller, path string, o CreateOptions) (File, error)

	// Rename moves f, by its name now, to the path to. With replace an
	// existing target that is no folder is replaced in one step; without, it
	// is KindExist. A change of spelling alone is a rename like any other. It
	// returns the path as it was stored.
	Rename(ctx context.Context, c *Caller, f File, to string, replace bool) (string, error)

	// Link gives f the further name to, with the rules of Rename.
	Link(ctx context.Context, c *Caller, f File, to string, replace bool) error

	// Remove takes away the name that f was opened by. f stays usable until
	// it is closed. Errors: KindNotEmpty for a folder that holds something;
	// KindNotExist when the name is gone or belongs to another node by now,
	// which is then left alone.
	Remove(ctx context.Context, c *Caller, f File) error

	// Space tells how large the tree may become, seen from f.
	Space(ctx context.Context, c *Caller, f File) (Space, error)

	// Features tells what does not change while the FS is served.
	Features() Features
}

// File is an open file or folder.
//
// Close may be called while other calls run; these finish first, and calls
// after it fail with KindClosed.
type File interface {
	// Key identifies the node among all nodes of all FS of the process. Two
	// opens of one node have equal keys, whatever name they came by; a key
	// is not given to another node as long as a File of it is open.
	Key() Key

	// Path returns the path by which the file was opened, in the spelling
	// that is stored, as it is after renames by this process.
	Path() string

	// Target returns the path at which the node itself stands if the file was
	// opened through a symbolic link, whose Path is then another; else ok is
	// false.
	Target() (path string, ok bool)

	// Granted tells the rights the file was opened with.
	Granted() Access

	// MaxAccess tells all rights c would be granted.
	MaxAccess(ctx context.Context, c *Caller) (Access, error)

	// Attr returns the attributes as they are now.
	Attr(ctx context.Context) (Attr, error)

	// SetAttr changes the attributes named in s.Set and no others, all or
	// as many as the error leaves. The rights were checked at Open, but for
	// ownership, which the FS decides by c.
	SetAttr(ctx context.Context, c *Caller, s SetAttr) error

	// ReadAt is io.ReaderAt: fewer bytes than asked come with io.EOF.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)

	// WriteAt is io.WriterAt: it writes all of p or returns an error, among
	// them KindNoSpace, with the count of what was written. It does not wait
	// for the disk.
	WriteAt(ctx context.Context, p []byte, off int64) (int, error)

	// Truncate sets the size; a larger one reads as zeros.
	Truncate(ctx context.Context, size int64) error

	// Allocate reserves room for a size in bytes without changing the file's
	// size. Best effort: KindUnsupported when the FS has no such thing.
	Allocate(ctx context.Context, size int64) error

	// Sync returns when the file's data and attributes are on the disk.
	Sync(ctx context.Context) error

	// List begins an enumeration of a folder. KindNotDir for a file.
	List(ctx context.Context, c *Caller) (Lister, error)

	// Lookup finds one entry of a folder by name, without opening it, at a
	// cost that does not grow with the folder.
	Lookup(ctx context.Context, c *Caller, name string, exact bool) (Entry, error)

	// Close ends the use of the file. It reports no error of earlier writes.
	Close() error
}

// Lister is one enumeration of a folder, for one caller at a time.
type Lister interface {
	// Next fills entries and returns how many, with io.EOF when there are no
	// more. Every entry that stays is seen exactly once while others come
	// and go; "." and ".." are not among them. With names the attributes
	// may be left zero, but for Type and Short.
	Next(ctx context.Context, entries []Entry, names bool) (int, error)

	// Close frees what the enumeration holds.
	Close() error
}

// Entry is one name of a folder.
type Entry struct {
	Name string // as stored, or an alias where a client can't spell that
	Attr Attr
}

// OpenOptions say what an Open is for.
type OpenOptions struct {
	Access   Access // rights that must be granted
	Maximum  bool   // grant what else the caller may have, too
	Exact    bool   // the name in just this spelling
	NoFollow bool   // see symbolic links as such: at the end of the path, and in what is listed
}

// CreateOptions say what a Create makes.
type CreateOptions struct {
	Access    Access
	Maximum   bool
	Exact     bool // only the same spelling counts as existing
	Directory bool
	DOS       DOSAttr // attributes the new node begins with
	HasMode   bool    // Mode was given by the client
	Mode      uint32  // permission bits, when HasMode; else the FS's own rule
}

// Space is the room of a volume, in bytes.
type Space struct {
	Total, Free int64 // of the whole volume, or of the caller's quota if smaller
	Available   int64 // what the caller may still write
	BlockSize   int64 // unit of allocation
	Files       int64 // how many there can be; 0 when nobody counts
}

// Features are the constant properties of an FS.
type Features struct {
	Label         string // volume label shown to clients
	ID            [16]byte
	Serial        uint32
	CaseSensitive bool // names that differ in case are different
	Normalized    bool // composed and decomposed spellings are one name, where case does not matter
	CasePreserved bool
	MaxName       int // longest component, in UTF-16 units
	HardLinks     bool
	Symlinks      bool
	Sparse        bool
	Streams       bool // every File is a Streamer
	Mac           bool // every File is a MacFile
	ReadOnly      bool
	TimeGrain     int64 // resolution of times, in nanoseconds
}
