package afp

import (
	"errors"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/vfs"
)

// kindResult is the result of each kind of error that comes from below. AFP has
// few; a command that has a better one for a kind says so itself.
var kindResult = map[vfs.Kind]afpwire.Result{
	vfs.KindInternal:      afpwire.ResultMiscErr,
	vfs.KindNotExist:      afpwire.ResultObjectNotFound,
	vfs.KindPathNotExist:  afpwire.ResultObjectNotFound,
	vfs.KindExist:         afpwire.ResultObjectExists,
	vfs.KindNotDir:        afpwire.ResultObjectTypeErr,
	vfs.KindIsDir:         afpwire.ResultObjectTypeErr,
	vfs.KindNotEmpty:      afpwire.ResultDirNotEmpty,
	vfs.KindAccess:        afpwire.ResultAccessDenied,
	vfs.KindReadOnly:      afpwire.ResultVolLocked,
	vfs.KindNoSpace:       afpwire.ResultDiskFull,
	vfs.KindQuota:         afpwire.ResultDiskQuotaExceeded,
	vfs.KindTooLarge:      afpwire.ResultDiskFull,
	vfs.KindInvalidName:   afpwire.ResultParamErr,
	vfs.KindNameTooLong:   afpwire.ResultParamErr,
	vfs.KindInvalid:       afpwire.ResultParamErr,
	vfs.KindUnsupported:   afpwire.ResultCallNotSupported,
	vfs.KindCrossDevice:   afpwire.ResultMiscErr,
	vfs.KindLoop:          afpwire.ResultObjectNotFound,
	vfs.KindOutside:       afpwire.ResultObjectNotFound,
	vfs.KindTooManyLinks:  afpwire.ResultMiscErr,
	vfs.KindTooManyOpen:   afpwire.ResultTooManyFilesOpen,
	vfs.KindNoMemory:      afpwire.ResultMiscErr,
	vfs.KindIO:            afpwire.ResultMiscErr,
	vfs.KindBusy:          afpwire.ResultFileBusy,
	vfs.KindClosed:        afpwire.ResultParamErr,
	vfs.KindStale:         afpwire.ResultMiscErr,
	vfs.KindCanceled:      afpwire.ResultMiscErr,
	vfs.KindSharing:       afpwire.ResultDenyConflict,
	vfs.KindLocked:        afpwire.ResultLockErr,
	vfs.KindRangeNotHeld:  afpwire.ResultRangeNotLocked,
	vfs.KindDeletePending: afpwire.ResultObjectNotFound,
	vfs.KindCannotDelete:  afpwire.ResultObjectLocked,
	vfs.KindNotGranted:    afpwire.ResultAccessDenied,
	vfs.KindNoAttr:        afpwire.ResultItemNotFound,
}

// resultOf turns an error into the result that the client sees. It is the only
// place in this package that does.
func resultOf(err error) afpwire.Result {
	if err == nil {
		return afpwire.ResultNoErr
	}
	if result, ok := errors.AsType[afpwire.Result](err); ok {
		return result
	}
	if fault, ok := errors.AsType[*vfs.Error](err); ok {
		return kindResult[fault.Kind]
	}
	return afpwire.ResultMiscErr
}
