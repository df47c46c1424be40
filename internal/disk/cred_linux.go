package disk

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// self is the account of the process when it began.
var self = struct {
	Cred
	root bool
}{*Self(), unix.Geteuid() == 0}

// CanAct reports whether calls can be made with the ids of other accounts.
func CanAct() bool { return self.root }

// differs reports whether acting as c needs other ids than the process has.
func (c *Cred) differs() bool {
	return c != nil && self.root && (c.UID != self.UID || c.GID != self.GID)
}

// act makes call with the ids of c. These belong to the thread: they are
// changed by plain system calls, which unlike those of package syscall leave
// the other threads alone. The effective ids rather than the file system's are
// changed, because that takes away the capabilities, too: root's would let
// writes pass quotas and take the blocks reserved for root.
func (c *Cred) act(call func() error) error {
	if !c.differs() {
		return call()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer resume(!slices.Equal(c.Groups, self.Groups))
	if !slices.Equal(c.Groups, self.Groups) {
		if err := setgroups(c.Groups); err != nil {
			return err
		}
	}
	if err := setid(sysSetresgid, c.GID); err != nil {
		return err
	}
	if err := setid(sysSetresuid, c.UID); err != nil {
		return err
	}
	return call()
}

// actAsUser is act with the user's id alone, which is what decides about
// quotas and reserved blocks once a file is open.
func (c *Cred) actAsUser(call func() error) error {
	if !c.differs() || c.UID == self.UID {
		return call()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer resumeUser()
	if err := setid(sysSetresuid, c.UID); err != nil {
		return err
	}
	return call()
}

// resume gives the thread the process's ids again.
func resume(groups bool) {
	resumeUser()
	must("group id", setid(sysSetresgid, self.GID))
	if groups {
		must("groups", setgroups(self.Groups))
	}
}

func resumeUser() { must("user id", setid(sysSetresuid, self.UID)) }

// must ends the process when a thread could not be given its ids back: the
// thread would serve other users with the ids of the wrong one. It does not
// panic, since a panic can be recovered from.
func must(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "dozo: a thread could not get its %s back (%v); stopping, for no file may be touched in another's name\n", what, err)
		exit(70)
	}
}

// exit is os.Exit but in the test of must.
var exit = os.Exit

// setid changes the effective id of the calling thread by sysSetresuid or
// sysSetresgid; real and saved stay.
func setid(trap uintptr, id uint32) error {
	keep := ^uintptr(0)
	_, _, errno := unix.RawSyscall(trap, keep, uintptr(id), keep)
	return errOf(errno)
}

func setgroups(groups []uint32) error {
	_, _, errno := unix.RawSyscall(sysSetgroups, uintptr(len(groups)), uintptr(unsafe.Pointer(unsafe.SliceData(groups))), 0)
	return errOf(errno)
}
