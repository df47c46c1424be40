package smb

import (
	"math"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// Bits of a CREATE that mean nothing or something that isn't done here
// ([MS-SMB2] 3.3.5.9, [MS-FSA] 2.1.5.1). Those not named are hints.
const (
	invalidAttributes smbwire.FileAttributes = 0xffff8048
	invalidOptions    smbwire.CreateOptions  = 0xff000000
	refusedOptions                           = smbwire.CreateOptions(0x80) | smbwire.OpenByFileID | smbwire.ReserveOpfilter
	invalidAccess     smbwire.AccessMask     = 0x0ce0fe00
	allShareAccess                           = smbwire.ShareRead | smbwire.ShareWrite | smbwire.ShareDelete
)

// accessOf returns the rights that a mask asks for, and whether it asks for all
// that can be had.
func accessOf(m smbwire.AccessMask) (a vfs.Access, maximum bool, err error) {
	switch {
	case m == 0 || m&invalidAccess != 0:
		return 0, false, smbwire.StatusAccessDenied
	case m&smbwire.AccessSystemSecurity != 0:
		return 0, false, smbwire.StatusPrivilegeNotHeld
	}
	return expand(m), m&smbwire.MaximumAllowed != 0, nil
}

// oplockOf returns the oplock that a level asks for. Leases are not given, so
// that a request for one is a request for nothing ([MS-SMB2] 3.3.5.9).
func oplockOf(l smbwire.OplockLevel) share.Oplock {
	for oplock, level := range oplockLevels {
		if l == level {
			return share.Oplock(oplock)
		}
	}
	return 0
}

// checkCreate refuses what no CREATE may say, whatever it is for.
func checkCreate(m *smbwire.CreateRequest) error {
	const (
		folder   = smbwire.DirectoryFile
		noFolder = smbwire.NonDirectoryFile
	)
	switch {
	case m.ImpersonationLevel > smbwire.ImpersonationDelegate:
		return smbwire.StatusBadImpersonationLevel
	case m.Disposition > smbwire.FileOverwriteIf,
		m.Options&invalidOptions != 0,
		m.FileAttributes&invalidAttributes != 0,
		m.ShareAccess&^allShareAccess != 0:
		return smbwire.StatusInvalidParameter
	case m.Options&refusedOptions != 0:
		return smbwire.StatusNotSupported
	case m.Options&folder == 0:
		return nil
	case m.Options&noFolder != 0,
		m.Disposition == smbwire.FileSupersede,
		m.Disposition == smbwire.FileOverwrite,
		m.Disposition == smbwire.FileOverwriteIf:
		return smbwire.StatusInvalidParameter
	}
	return nil
}

// openRequest says to the share what a CREATE asks for. Clients know nothing of
// symbolic links, whether they ask for reparse points or not
// (docs/decisions/symbolic-links.md).
func openRequest(m *smbwire.CreateRequest) (share.OpenRequest, error) {
	q := share.OpenRequest{
		Share:         share.Mode(m.ShareAccess),
		Disposition:   share.Disposition(m.Disposition),
		Directory:     m.Options&smbwire.DirectoryFile != 0,
		NonDirectory:  m.Options&smbwire.NonDirectoryFile != 0,
		DeleteOnClose: m.Options&smbwire.DeleteOnClose != 0,
		DOS:           vfs.DOSAttr(m.FileAttributes) & vfs.DOSStored,
		Oplock:        oplockOf(m.OplockLevel),
	}
	var what named
	var err error
	if q.Access, q.Maximum, err = accessOf(m.DesiredAccess); err != nil {
		return q, err
	}
	if err := checkCreate(m); err != nil {
		return q, err
	}
	if q.Path, what, err = parseName(m.Name); err != nil {
		return q, err
	}
	switch {
	case what == aFolder && q.NonDirectory:
		return q, smbwire.StatusObjectNameInvalid
	case what == aFile && q.Directory:
		return q, smbwire.StatusNotADirectory
	}
	q.Directory = q.Directory || what == aFolder
	q.NonDirectory = q.NonDirectory || what == aFile

	if q.DeleteOnClose && !q.Maximum && !q.Access.Has(vfs.Delete) {
		return q, smbwire.StatusInvalidParameter
	}
	if !q.Directory {
		q.DOS |= vfs.DOSArchive // a new or emptied file is to be archived ([MS-FSA] 2.1.5.1.1)
	}
	return q, nil
}

// allocationOf turns a size in bytes from the wire into one for the disk.
func allocationOf(n uint64) (int64, error) {
	if n > math.MaxInt64 {
		return 0, smbwire.StatusDiskFull
	}
	return int64(n), nil
}
