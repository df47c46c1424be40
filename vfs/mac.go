package vfs

import (
	"context"
	"time"
)

// MacFile is implemented by the files and folders of an FS whose Features say
// Mac: it keeps what Macs know of a node beside Attr. AFP has commands for it, and
// SMB the stream FinderInfo.
type MacFile interface {
	Streamer

	// Mac returns what is kept, the zero Mac if nothing is.
	Mac(ctx context.Context) (Mac, error)

	// SetMac changes what s.Set names and nothing else. It needs the right to
	// write attributes, extended attributes or data. KindInvalid for a comment
	// that is too long.
	SetMac(ctx context.Context, c *Caller, s SetMac) error

	// ListedMacs fills macs, which is as long as entries, with what is kept
	// about entries of this folder that List or Lookup just gave. Most nodes
	// have nothing, and to find that out again for what did not change should
	// take no look at the disk. What went away meanwhile has nothing.
	ListedMacs(ctx context.Context, c *Caller, entries []Entry, macs []Mac) error
}

// Mac is what Macs know of a file or folder.
type Mac struct {
	Finder  [32]byte // Finder info, in its order of bytes; of zeros: none
	Attr    MacAttr
	Backup  time.Time // zero: never
	Comment string    // at most MaxComment bytes, in the encoding of who set it

	// Created is a time of birth that only a server for Macs before this one
	// stored; zero where Attr.Birth is all there is.
	Created time.Time

	// Resource is the size of the resource fork. It is changed through the
	// stream ResourceFork only.
	Resource int64
}

// MaxComment is the most bytes that a comment can have.
const MaxComment = 199

// MacAttr are the attributes that AFP gave to files, with its bits. Those that DOS
// has, too, are in Attr.DOS: here they only say what a server for Macs before this
// one stored where no DOS attributes are.
type MacAttr uint16

// The attributes.
const (
	MacInvisible     MacAttr = 0x0001 // DOSHidden
	MacMultiUser     MacAttr = 0x0002
	MacSystem        MacAttr = 0x0004 // DOSSystem
	MacWriteInhibit  MacAttr = 0x0020 // DOSReadOnly
	MacBackupNeeded  MacAttr = 0x0040 // DOSArchive
	MacRenameInhibit MacAttr = 0x0080
	MacDeleteInhibit MacAttr = 0x0100
	MacCopyProtect   MacAttr = 0x0400

	// MacDOS are the ones that DOS has, too.
	MacDOS = MacInvisible | MacSystem | MacWriteInhibit | MacBackupNeeded
	// MacStored are the ones a client sets and an FS keeps.
	MacStored = MacDOS | MacMultiUser | MacRenameInhibit | MacDeleteInhibit | MacCopyProtect
)

// MacSet names parts of a Mac.
type MacSet uint8

// The parts that SetMac changes.
const (
	SetFinder MacSet = 1 << iota
	SetMacAttr
	SetBackup
	SetComment
)

// SetMac is a change of a Mac.
type SetMac struct {
	Set     MacSet
	Finder  [32]byte
	Attr    MacAttr // of MacStored
	Backup  time.Time
	Comment string
}

// With returns m with the change s.
func (m Mac) With(s SetMac) Mac {
	if s.Set&SetFinder != 0 {
		m.Finder = s.Finder
	}
	if s.Set&SetMacAttr != 0 {
		m.Attr = s.Attr & MacStored
	}
	if s.Set&SetBackup != 0 {
		m.Backup = s.Backup
	}
	if s.Set&SetComment != 0 {
		m.Comment = s.Comment
	}
	return m
}
