package smb

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// rename gives a file another name ([MS-FSA] 2.1.5.15.11).
func rename(ctx context.Context, o *open, i *smbwire.RenameInformation) error {
	to, err := renamed(i.RootDirectory, i.FileName)
	if err != nil {
		return err
	}
	return o.file.Rename(ctx, to, i.ReplaceIfExists)
}

// renameEx does it with flags. A target that is open is not replaced, with
// RenamePosix either.
func renameEx(ctx context.Context, o *open, i *smbwire.RenameInformationEx) error {
	const known = smbwire.RenameReplace | smbwire.RenamePosix | smbwire.RenameSuppressPin
	if i.Flags&^known != 0 {
		return smbwire.StatusInvalidParameter
	}
	to, err := renamed(i.RootDirectory, i.FileName)
	if err != nil {
		return err
	}
	return o.file.Rename(ctx, to, i.Flags&smbwire.RenameReplace != 0)
}

// link gives a file a further name ([MS-FSA] 2.1.5.15.6).
func link(ctx context.Context, o *open, i *smbwire.RenameInformation) error {
	if o.file.IsDir() {
		return smbwire.StatusFileIsADirectory
	}
	to, err := renamed(i.RootDirectory, i.FileName)
	if err != nil {
		return err
	}
	return o.file.Link(ctx, to, i.ReplaceIfExists)
}

// renamed returns the path that a rename or a link names: one in the share,
// since a root to count from can't be named over the network ([MS-SMB2]
// 3.3.5.21.1). It may begin with the backslash that stands for the root of the
// share, as smbclient's links do; the root itself is nobody's new name.
func renamed(root uint64, name string) (string, error) {
	if root != 0 {
		return "", smbwire.StatusInvalidParameter
	}
	path, err := pathOf(strings.TrimPrefix(name, `\`))
	if err == nil && path == "" {
		err = smbwire.StatusObjectNameInvalid
	}
	return path, err
}
