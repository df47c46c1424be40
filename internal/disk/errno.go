package disk

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// errnoKind says what each errno means to the floors above. What is not in it
// is KindInternal.
var errnoKind = map[unix.Errno]vfs.Kind{
	unix.ENOENT:       vfs.KindNotExist,
	unix.EEXIST:       vfs.KindExist,
	unix.ENOTDIR:      vfs.KindNotDir,
	unix.EISDIR:       vfs.KindIsDir,
	unix.ENOTEMPTY:    vfs.KindNotEmpty,
	unix.EACCES:       vfs.KindAccess,
	unix.EPERM:        vfs.KindAccess,
	unix.EROFS:        vfs.KindReadOnly,
	unix.ENOSPC:       vfs.KindNoSpace,
	unix.EDQUOT:       vfs.KindQuota,
	unix.EFBIG:        vfs.KindTooLarge,
	unix.EOVERFLOW:    vfs.KindTooLarge,
	unix.E2BIG:        vfs.KindTooLarge,
	unix.EILSEQ:       vfs.KindInvalidName,
	unix.ENAMETOOLONG: vfs.KindNameTooLong,
	unix.EINVAL:       vfs.KindInvalid,
	unix.EDOM:         vfs.KindInvalid,
	unix.ERANGE:       vfs.KindInvalid,
	unix.EOPNOTSUPP:   vfs.KindUnsupported,
	unix.ENOSYS:       vfs.KindUnsupported,
	unix.ENOTTY:       vfs.KindUnsupported,
	unix.EXDEV:        vfs.KindCrossDevice,
	unix.ELOOP:        vfs.KindLoop,
	unix.EMLINK:       vfs.KindTooManyLinks,
	unix.EMFILE:       vfs.KindTooManyOpen,
	unix.ENFILE:       vfs.KindTooManyOpen,
	unix.ENOMEM:       vfs.KindNoMemory,
	unix.ENOBUFS:      vfs.KindNoMemory,
	unix.EIO:          vfs.KindIO,
	unix.ENXIO:        vfs.KindUnsupported, // data of a socket, or of a pipe that nobody reads
	unix.ENODEV:       vfs.KindIO,
	unix.EBUSY:        vfs.KindBusy,
	unix.ETXTBSY:      vfs.KindBusy,
	unix.EAGAIN:       vfs.KindBusy,
	unix.EDEADLK:      vfs.KindBusy,
	unix.ESTALE:       vfs.KindStale,
	unix.ENOTCONN:     vfs.KindStale,
	errNoAttr:         vfs.KindNoAttr,
}

// fail wraps what a call returned; nil stays nil.
func fail(op Op, path string, err error) error {
	if err == nil {
		return nil
	}
	return vfs.NewError(string(op), path, kindOf(err), err)
}

func kindOf(err error) vfs.Kind {
	var errno unix.Errno
	if !errors.As(err, &errno) {
		return vfs.KindOf(err)
	}
	if kind, ok := errnoKind[errno]; ok {
		return kind
	}
	return osErrnoKind[errno] // KindInternal when absent
}

// Errno returns the errno in err, 0 if there is none.
func Errno(err error) unix.Errno {
	errno, _ := errors.AsType[unix.Errno](err)
	return errno
}
