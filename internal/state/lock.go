package state

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/dozo-server/dozo/internal/private"
)

const lockFile = "lock"

// Lock is the right of one server to a state folder.
type Lock struct{ file *os.File }

// Lock takes the folder for this process, until Release or its end however
// sudden. The error names the process that has it.
func (f *Folder) Lock() (*Lock, error) {
	file, err := private.OpenLock(f.Path(lockFile))
	if err != nil {
		return nil, unusable(f.path, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer file.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, unusable(f.path, err)
		}
		return nil, fmt.Errorf("another dozo%s uses the state folder %s; stop it, or give this one a folder of its own with --state DIR",
			holder(file), f.path)
	}
	// The number is for that sentence only: nothing is lost where it fails.
	file.Truncate(0)
	file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return &Lock{file}, nil
}

// Release gives the folder back.
func (l *Lock) Release() error { return l.file.Close() }

// holder names the process that wrote the lock file.
func holder(file *os.File) string {
	var buf [20]byte
	n, _ := file.ReadAt(buf[:], 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}
