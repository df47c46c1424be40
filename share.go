package dozo

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dozo-server/dozo/auth"
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
	// Name is what clients call it. It must not be empty. With {user} in Path it
	// may have that, too.
	Name string

	// Path is the folder to serve, an absolute path. The folders of two shares
	// must not be one, nor one inside the other.
	//
	// Where a part of it is {user}, as in /home/{user}, each user has a share of
	// their own: it is made when they look for it, others neither see nor reach
	// it, and who has no such folder has no such share. Another share of the same
	// name comes first.
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

	// Hosts are where those who use the share may come from, of those whom the
	// server lets in at all.
	Hosts auth.Hosts

	// Guest is what guests may do. Zero: they are refused.
	Guest GuestAccess

	// Veto are patterns, with * and ? and folded as names are, of names that are
	// there for no client, in whatever folder. Nothing new can have such a name;
	// what has it on the disk stays there, and moves with its folder.
	Veto []string

	// DeleteVetoed lets clients delete a folder that holds only what Veto names,
	// with all of that. Without it the folder is not empty.
	DeleteVetoed bool

	// Hide are patterns of names that have the hidden attribute, whatever is
	// stored.
	Hide []string

	// Recycle is the name of a folder in the share's root that takes the files
	// which clients delete: into a folder of who deletes, by the path that they
	// had. What is deleted there is gone. Empty: so is all that is deleted. It does
	// not go together with InheritOwner.
	Recycle string

	// RecycleDays is after how many days what is there goes for good: it is looked
	// for when Serve begins, and then once a day, in shares of users' own that were
	// used since. Zero: never.
	RecycleDays int

	// MaxSize is the size, in bytes, that the volume seems to have at most, with
	// no more free than that. It does not keep anybody from writing more. Zero:
	// it is as large as it is.
	MaxSize int64

	// ForceUser is an account of this machine that acts for all who use the
	// share, guests as well. Who may use it does not depend on this. Where the
	// process is not root it must be its own account. Empty: each user acts as
	// their own account.
	ForceUser string

	account    *auth.Identity // of ForceUser, found by check
	home, user string         // whose share this is alone, by which path with {user}; see own
	real       string         // its Path without symbolic links, and none is followed later

	// What follows is about folders. The zero values are those of an ordinary
	// share.

	// FileSystem is the file system that Path must be on, as a Snapshot named
	// it earlier. While the folder is on another one, because its disk was
	// not mounted, the share is refused. Empty: the one that it is on first.
	FileSystem string

	// HomeFileSystems are the same, by folder, for those of users.
	HomeFileSystems map[string]string

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

// maxRecycleDays is a century, about.
const maxRecycleDays = 36500

// check refuses a share that can't be meant, and finds the account that it names.
func (o *Share) check() error {
	switch {
	case o.Name == "":
		return errors.New("dozo: a share has no name")
	case (o.Path == "") == (o.FS == nil):
		return fmt.Errorf("dozo: the share %s needs a Path or an FS, one of them", o.Name)
	}
	if name := o.Recycle; strings.ContainsAny(name, "/\\*?\x00") || name != "" && strings.Trim(name, ".") == "" {
		return fmt.Errorf("dozo: the share %s: %q can't be the name of a folder for what is deleted", o.Name, name)
	}
	if o.Recycle != "" && o.InheritOwner {
		return fmt.Errorf("dozo: the share %s: what is deleted could not be its user's in %s if it belongs to the folder's owner", o.Name, o.Recycle)
	}
	if o.RecycleDays < 0 || o.RecycleDays > maxRecycleDays || o.RecycleDays > 0 && o.Recycle == "" {
		return fmt.Errorf("dozo: the share %s can't keep what is deleted for %d days in the folder %q", o.Name, o.RecycleDays, o.Recycle)
	}
	if o.isHome() {
		if err := o.checkHome(); err != nil {
			return err
		}
	}
	for _, pattern := range slices.Concat(o.Veto, o.Hide) {
		if err := share.CheckPattern(pattern); err != nil {
			return fmt.Errorf("dozo: the share %s: %w", o.Name, err)
		}
	}
	if o.account = nil; o.ForceUser == "" {
		return nil
	}
	account, err := auth.Account(o.ForceUser)
	if err != nil {
		return fmt.Errorf("dozo: the share %s: %w", o.Name, err)
	}
	if me := os.Geteuid(); o.FS == nil && me != 0 && account.UID != uint32(me) {
		return fmt.Errorf("dozo: the share %s: only root can act as %s", o.Name, o.ForceUser)
	}
	o.account = account
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
		Hosts:         o.Hosts,
		Veto:          o.Veto,
		Hide:          o.Hide,
		DeleteVetoed:  o.DeleteVetoed,
		Recycle:       o.Recycle,
		RecycleFor:    time.Duration(o.RecycleDays) * 24 * time.Hour,
		MaxSize:       o.MaxSize,
		Account:       o.account,
		Only:          o.user,
	}
}
