package dozo

import (
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// GuestAccess says what somebody without an account may do in a share.
type GuestAccess = share.GuestAccess

// The choices.
const (
	GuestNone  = share.GuestNone  // guests are refused
	GuestRead  = share.GuestRead  // guests may look
	GuestWrite = share.GuestWrite // guests may do what users may
)

// Share is something that is served: a folder of this machine, or any vfs.FS.
type Share struct {
	// Name is what clients call it. It must not be empty.
	Name string

	// Path is the folder to serve, an absolute path.
	Path string

	// FS is served instead of a folder; Path must be empty then.
	FS vfs.FS

	// FileSystem is the file system that Path must be on, as a Snapshot named
	// it earlier. While the folder is on another one, because its disk was
	// not mounted, the share is refused. Empty: any will do.
	FileSystem string

	// Comment is shown beside the name. Empty: none.
	Comment string

	// ReadOnly forbids every change, to everybody.
	ReadOnly bool

	// Hidden keeps the share out of lists; who knows its name may connect.
	Hidden bool

	// Encrypt refuses clients that can't encrypt or don't.
	Encrypt bool

	// Users and the members of Groups may use the share. Both empty: all
	// users may.
	Users, Groups []string

	// ReadOnlyUsers may use the share but change nothing.
	ReadOnlyUsers []string

	// Guest is what guests may do. Zero: they are refused.
	Guest GuestAccess
}
