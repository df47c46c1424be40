package smb

import (
	"strings"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// fileAttributes returns the attributes that clients see. What has none is
// normal ([MS-FSCC] 2.6).
func fileAttributes(a *vfs.Attr) smbwire.FileAttributes {
	dos := a.DOS
	if a.Type == vfs.TypeDir {
		dos |= vfs.DOSDirectory
	}
	if dos == 0 {
		dos = vfs.DOSNormal
	}
	return smbwire.FileAttributes(dos)
}

// endOfFile returns the size that clients see. Folders have none.
func endOfFile(a *vfs.Attr) uint64 {
	if a.Type == vfs.TypeDir {
		return 0
	}
	return uint64(a.Size)
}

// allocation returns the size on disk that clients see.
func allocation(a *vfs.Attr) uint64 {
	if a.Type == vfs.TypeDir {
		return 0
	}
	return uint64(a.Allocated)
}

// sharePath returns the path of an open in the share, in the form of SMB.
func sharePath(o *open) string { return strings.ReplaceAll(o.file.Path(), "/", `\`) }
