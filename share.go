package dozo

import (
	"errors"
	"fmt"

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

	// Path is the folder to serve, an absolute path. The folders of two shares
	// must not be one, nor one inside the other.
	Path string

	// FS is served instead of a folder; Path must be empty then, and the
	// fields about folders mean nothing.
	FS vfs.FS

	// Comment is shown beside the name. Empty: none.
	Comment string

	// Hidden keeps the share out of lists; who knows its name may connect.
	Hidden bool

	// ReadOnly forbids every change, to everybody.
	ReadOnly bool

	// Encrypt refuses clients that can't encrypt or don't.
	Encrypt bool

	// Users and the members of Groups may use the share. Both empty: all
	// users may.
	Users, Groups []string

	// ReadOnlyUsers may use the share but change nothing.
	ReadOnlyUsers []string

	// Guest is what guests may do. Zero: they are refused.
	Guest GuestAccess

	// What follows is about folders. The zero values are those of an ordinary
	// share.

	// FileSystem is the file system that Path must be on, as a Snapshot named
	// it earlier. While the folder is on another one, because its disk was
	// not mounted, the share is refused. Empty: the one that it is on first.
	FileSystem string

	// CreateMask and DirectoryMask are the permission bits that a new file
	// and a new folder may have, where the client names none. Zero: 0744 and
	// 0755. The umask of the process takes away from them.
	CreateMask, DirectoryMask uint32

	// ForceCreateMode and ForceDirectoryMode are permission bits that new
	// files and folders have in any case. Zero: none.
	ForceCreateMode, ForceDirectoryMode uint32

	// InheritPermissions gives what is new the permission bits of its folder
	// instead.
	InheritPermissions bool

	// InheritOwner makes what is new belong to the owner of its folder, where
	// the process is root.
	InheritOwner bool

	// CaseSensitive makes names that differ in case different names.
	CaseSensitive bool

	// KeepComposition makes composed and decomposed spellings of a letter
	// different names, as they are to Windows. Without it they are the same,
	// as they are to a Mac.
	KeepComposition bool

	// ChangeCase gives all new names the default case, ChangeShortCase those
	// of 8.3 form that come in capitals. DefaultUpper makes capitals the
	// default case. All false: names keep the spelling they come in.
	ChangeCase, ChangeShortCase, DefaultUpper bool

	// ShortNames gives names that programs of DOS could not spell a second
	// one of 8.3 form, by which they are found, too.
	ShortNames bool
}

// check refuses a share that can't be meant.
func (o *Share) check() error {
	switch {
	case o.Name == "":
		return errors.New("dozo: a share has no name")
	case (o.Path == "") == (o.FS == nil):
		return fmt.Errorf("dozo: the share %s needs a Path or an FS, one of them", o.Name)
	}
	return nil
}

// shareOptions are the options that hold for any tree of files.
func (o *Share) shareOptions() share.Options {
	return share.Options{
		Name:          o.Name,
		Comment:       o.Comment,
		Hidden:        o.Hidden,
		ReadOnly:      o.ReadOnly,
		Encrypt:       o.Encrypt,
		Users:         o.Users,
		Groups:        o.Groups,
		ReadOnlyUsers: o.ReadOnlyUsers,
		Guest:         o.Guest,
	}
}
