package smb

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// rename gives a file another name ([MS-FSA] 2.1.5.15.11).
func rename(ctx context.Context, o *open, i *smbwire.RenameInformation) error {
	to, err := renamed(i.RootDirectory, i.FileName)
	if err != nil {
		return err
	}
	return o.file.Rename(ctx, to, replacing(i.ReplaceIfExists))
}

func replacing(on bool) share.Replacing {
	if on {
		return share.Replace
	}
	return 0
}

// renameEx does it with flags ([MS-FSCC] FileRenameInformationEx). Pinned states
// and storage reserves are not inherited here anyway; what else concerns reserves
// is refused.
func renameEx(ctx context.Context, o *open, i *smbwire.RenameInformationEx) error {
	const ignored = smbwire.RenameSuppressPin | smbwire.RenameSuppressReserve
	const known = smbwire.RenameReplace | smbwire.RenamePosix | smbwire.RenameIgnoreReadOnly
	if i.Flags&^(known|ignored) != 0 {
		return smbwire.StatusInvalidParameter
	}
	to, err := renamed(i.RootDirectory, i.FileName)
	if err != nil {
		return err
	}
	how := replacing(i.Flags&smbwire.RenameReplace != 0)
	if i.Flags&smbwire.RenamePosix != 0 {
		how |= share.ReplaceOpen
	}
	if i.Flags&smbwire.RenameIgnoreReadOnly != 0 {
		how |= share.ReplaceReadOnly
	}
	return o.file.Rename(ctx, to, how)
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
	return o.file.Link(ctx, to, replacing(i.ReplaceIfExists))
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
