package share

import (
	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// Mode says which uses of a file an open leaves to others.
type Mode = lock.Mode

// The uses that can be shared.
const (
	ShareRead   = lock.ShareRead
	ShareWrite  = lock.ShareWrite
	ShareDelete = lock.ShareDelete
)

// Oplock is the level of an opportunistic lock.
type Oplock = lock.Oplock

// Range is a byte range of a file.
type Range = lock.Range

// Disposition says what an Open does with a name that is there, and with one
// that is not. The values are those of [MS-SMB2] 2.2.13.
type Disposition uint8

// The dispositions.
const (
	Supersede    Disposition = iota // replace what is there, else create
	OpenExisting                    // open what is there, else fail
	Create                          // fail for what is there, else create
	OpenIf                          // open what is there, else create
	Overwrite                       // empty what is there, else fail
	OverwriteIf                     // empty what is there, else create
)

// overwrites reports whether d empties what is there.
func (d Disposition) overwrites() bool {
	return d == Supersede || d == Overwrite || d == OverwriteIf
}

// creates reports whether d makes what is not there.
func (d Disposition) creates() bool { return d != OpenExisting && d != Overwrite }

// Action says what an Open did. The values are those of [MS-SMB2] 2.2.14.
type Action uint8

// The actions.
const (
	Superseded Action = iota
	Opened
	Created
	Overwritten
)

// Holder is told when an oplock it holds is broken.
type Holder interface {
	// BreakOplock says that o may keep no more than to. It is called from
	// whichever goroutine made the break necessary, without locks held, and
	// must not block; it may be called before Tree.Open has returned o.
	// Unless the break is from LevelII it is to be answered by
	// o.AcknowledgeBreak or o.Close.
	BreakOplock(o *Open, to Oplock)
}

// OpenRequest says what to open and what for.
type OpenRequest struct {
	Path          string
	Access        vfs.Access // generic rights are mapped by the protocol
	Maximum       bool       // grant all that the caller may have, and Access at least
	Share         Mode
	Disposition   Disposition
	Directory     bool // it must be, or become, a folder
	NonDirectory  bool // it must not be a folder
	DeleteOnClose bool // needs the right Delete
	NoFollow      bool // see symbolic links as such
	DOS           vfs.DOSAttr
	Allocation    int64 // bytes to reserve for a new or emptied file
	HasMode       bool
	Mode          uint32
	Oplock        Oplock // the level wished for; folders get none
	Holder        Holder // nil: no oplock is granted
}
