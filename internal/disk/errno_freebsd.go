package disk

import (
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

const errNoAttr = unix.ENOATTR

// osErrnoKind holds what only this system has.
var osErrnoKind = map[unix.Errno]vfs.Kind{
	unix.ENOTCAPABLE: vfs.KindOutside, // of O_RESOLVE_BENEATH
	unix.EINTEGRITY:  vfs.KindIO,
	unix.EFTYPE:      vfs.KindLoop, // of O_NOFOLLOW, in some file systems
}
