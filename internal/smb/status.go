package smb

import (
	"context"
	"errors"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// kindStatus is the status of each kind of error that comes from below.
var kindStatus = map[vfs.Kind]smbwire.Status{
	vfs.KindInternal:      smbwire.StatusInternalError,
	vfs.KindNotExist:      smbwire.StatusObjectNameNotFound,
	vfs.KindPathNotExist:  smbwire.StatusObjectPathNotFound,
	vfs.KindExist:         smbwire.StatusObjectNameCollision,
	vfs.KindNotDir:        smbwire.StatusNotADirectory,
	vfs.KindIsDir:         smbwire.StatusFileIsADirectory,
	vfs.KindNotEmpty:      smbwire.StatusDirectoryNotEmpty,
	vfs.KindAccess:        smbwire.StatusAccessDenied,
	vfs.KindReadOnly:      smbwire.StatusMediaWriteProtected,
	vfs.KindNoSpace:       smbwire.StatusDiskFull,
	vfs.KindQuota:         smbwire.StatusQuotaExceeded,
	vfs.KindTooLarge:      smbwire.StatusDiskFull,
	vfs.KindInvalidName:   smbwire.StatusObjectNameInvalid,
	vfs.KindNameTooLong:   smbwire.StatusNameTooLong,
	vfs.KindInvalid:       smbwire.StatusInvalidParameter,
	vfs.KindUnsupported:   smbwire.StatusNotSupported,
	vfs.KindCrossDevice:   smbwire.StatusNotSameDevice,
	vfs.KindLoop:          smbwire.StatusObjectPathNotFound,
	vfs.KindOutside:       smbwire.StatusObjectPathNotFound,
	vfs.KindTooManyLinks:  smbwire.StatusTooManyLinks,
	vfs.KindTooManyOpen:   smbwire.StatusTooManyOpenedFiles,
	vfs.KindNoMemory:      smbwire.StatusInsufficientResources,
	vfs.KindIO:            smbwire.StatusUnexpectedIOError,
	vfs.KindBusy:          smbwire.StatusSharingViolation,
	vfs.KindClosed:        smbwire.StatusFileClosed,
	vfs.KindStale:         smbwire.StatusNoSuchDevice,
	vfs.KindCanceled:      smbwire.StatusCancelled,
	vfs.KindSharing:       smbwire.StatusSharingViolation,
	vfs.KindLocked:        smbwire.StatusFileLockConflict,
	vfs.KindRangeNotHeld:  smbwire.StatusRangeNotLocked,
	vfs.KindDeletePending: smbwire.StatusDeletePending,
	vfs.KindCannotDelete:  smbwire.StatusCannotDelete,
	vfs.KindNotGranted:    smbwire.StatusAccessDenied,
	vfs.KindNoAttr:        smbwire.StatusObjectNameNotFound,
}

// statusOf turns an error into the status that the client sees. It is the only
// place in this package that does.
func statusOf(err error) smbwire.Status {
	if err == nil {
		return smbwire.StatusOK
	}
	if status, ok := err.(smbwire.Status); ok {
		return status
	}
	if status, ok := errors.AsType[smbwire.Status](err); ok {
		return status
	}
	if fault, ok := errors.AsType[*vfs.Error](err); ok {
		return kindStatus[fault.Kind]
	}
	if errors.Is(err, context.Canceled) {
		return smbwire.StatusCancelled
	}
	return smbwire.StatusInternalError
}

// detailed is a status that brings details along ([MS-SMB2] 2.2.2).
type detailed struct {
	smbwire.Status
	body smbwire.ErrorResponse
}

func (d *detailed) Unwrap() error { return d.Status }

// errorReply is the body of a response that has nothing but its status.
func errorReply(err error) reply {
	if d, ok := err.(*detailed); ok {
		return &d.body
	}
	return &smbwire.ErrorResponse{}
}
