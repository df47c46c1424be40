package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

const errNoAttr = unix.ENOATTR

// osErrnoKind holds what only this system has.
var osErrnoKind = map[unix.Errno]vfs.Kind{
	unix.ENOTSUP: vfs.KindUnsupported, // unlike elsewhere not EOPNOTSUPP
	unix.EDEVERR: vfs.KindIO,
}
