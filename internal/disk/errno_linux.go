package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

const errNoAttr = unix.ENODATA

// osErrnoKind holds what only this system has.
var osErrnoKind = map[unix.Errno]vfs.Kind{
	unix.EUCLEAN:     vfs.KindIO,
	unix.EREMOTEIO:   vfs.KindIO,
	unix.ENOMEDIUM:   vfs.KindIO,
	unix.ESHUTDOWN:   vfs.KindIO,
	unix.EKEYEXPIRED: vfs.KindAccess,
	unix.ENOKEY:      vfs.KindAccess, // an encrypted folder that is not unlocked
}
