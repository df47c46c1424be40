package vfs

import (
	"context"
	"strings"
)

// Streamer is implemented by the files and folders of an FS whose Features say
// Streams: beside its data, a node may hold further bytes under names of their
// own. To SMB they are named streams, to AFP extended attributes, and what one
// protocol writes the other reads.
//
// Names of streams compare as names of files do, and the spelling of the creator
// is kept. What can be one says CheckStreamName; characters that SMB
// can't send come and go as private ones, as in names of files. Streams belong to the node:
// they come along when it is renamed and go when its last name does. A change of
// them leaves Attr.Modified, and may leave Attr.Changed.
type Streamer interface {
	File

	// OpenStream opens a stream that is there. Errors: KindNoAttr when there is
	// none of that name, KindAccess when c lacks a right of o.Access to the
	// node, KindInvalidName. What the file itself was granted does not matter.
	// The file must stay open as long as the stream is.
	OpenStream(ctx context.Context, c *Caller, name string, o StreamOptions) (Stream, error)

	// CreateStream makes a stream and opens it, which takes the right to write
	// to the node. Errors: KindExist when one of that name is there,
	// KindInvalidName and KindNameTooLong for a name that can't be kept,
	// KindUnsupported for a node that can have none, as ResourceFork of a
	// folder.
	CreateStream(ctx context.Context, c *Caller, name string, o StreamOptions) (Stream, error)

	// Streams lists all streams of the node, in no order.
	Streams(ctx context.Context) ([]StreamInfo, error)

	// Clear takes away all streams of the node, and what else MacFile keeps, as
	// it is done where a file is overwritten. It needs the right to write.
	Clear(ctx context.Context) error
}

// Stream is an open stream. Its Key is its node's but for Key.Stream; its
// attributes are its node's but for Size and Allocated, and SetAttr sets those of
// the node. It has no entries. Path is that of the file.
type Stream interface {
	File

	// StreamName returns its name in the stored spelling, as it is after
	// renames by this process.
	StreamName() string

	// Remove takes the stream away. Whoever has it open is told KindStale from
	// then on.
	Remove(ctx context.Context, c *Caller) error

	// Rename gives the stream another name. With replace another stream that
	// has it is taken away in the same step; without, it is KindExist. A change
	// of spelling alone is a rename like any other.
	Rename(ctx context.Context, c *Caller, to string, replace bool) error
}

// The streams that mean something to Macs.
const (
	// ResourceFork is the resource fork of a file. In an FS whose Features say
	// Mac each file has one: it can be opened always and created whenever it is
	// empty, an empty one is not listed, and removing it empties it. It keeps
	// its name, and no other stream can be renamed to it.
	ResourceFork = "AFP_Resource"

	// FinderInfo is where SMB clients look for what MacFile keeps. An FS whose
	// Features say Mac has no stream of this name, and answers KindInvalidName:
	// whoever speaks SMB makes it up from the Mac.
	FinderInfo = "AFP_AfpInfo"
)

// StreamOptions say what a stream is opened for.
type StreamOptions struct {
	Access  Access // rights that must be granted
	Maximum bool   // grant what else the caller may have, too
}

// StreamInfo is one stream in a list.
type StreamInfo struct {
	Name      string // as stored
	Size      int64
	Allocated int64 // bytes on the disk
}

// MaxStreamName is the most UTF-16 units that the name of a stream can have.
const MaxStreamName = 255

// CheckStreamName returns KindInvalidName or KindNameTooLong for what can't be the
// name of a stream ([MS-FSCC] 2.1.5.3), and nil for what can.
func CheckStreamName(name string) error {
	if name == "" || strings.ContainsAny(name, "/\\:\x00") {
		return NewError("stream", name, KindInvalidName, nil)
	}
	units := 0
	for _, r := range name {
		if units++; r >= 1<<16 {
			units++ // a pair of surrogates
		}
	}
	if units > MaxStreamName {
		return NewError("stream", name, KindNameTooLong, nil)
	}
	return nil
}
