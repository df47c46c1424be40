// Package private reads and writes the files of the state folder: for its owner
// only, replaced in one step, and never through a link. Root may work on the state
// folder of somebody else, who could have put one there that leads to a file of
// root's.
package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNoFile is the error of a link, a pipe and the like where a file should be.
var ErrNoFile = errors.New("it is no plain file")

// Open opens a file to be read.
func Open(path string) (*os.File, error) {
	return open(path, os.O_RDONLY|syscall.O_NONBLOCK) // a pipe without a writer would keep us waiting
}

// OpenLock opens a file to be locked, and makes it if it is not there.
func OpenLock(path string) (*os.File, error) {
	for {
		f, err := open(path, os.O_RDWR)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue // somebody else was first
		}
		if err != nil {
			return nil, err
		}
		if err := giveToOwner(f, filepath.Dir(path)); err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
}

func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Replace gives a file other contents, in one step, mode 0600, and returns when
// they are on the disk. A link is replaced, not what it leads to.
func Replace(path string, data []byte) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once the rename is done
	err = giveToOwner(tmp, dir)
	if err == nil {
		_, err = tmp.Write(data)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder makes a rename in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// giveToOwner makes a file that root has just made in a folder that of the
// folder's owner, whose server could not read it otherwise.
func giveToOwner(f *os.File, dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	folder, err := os.Stat(dir)
	if err != nil {
		return err
	}
	owner := folder.Sys().(*syscall.Stat_t)
	return f.Chown(int(owner.Uid), int(owner.Gid))
}
