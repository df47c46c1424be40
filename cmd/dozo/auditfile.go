package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/dozo-server/dozo/internal/mount"
)

// auditFile is the file that the audit log is written to. Who moves it away, so
// that it does not grow for ever, has it opened again. Nil: there is none.
type auditFile struct {
	path string

	mu   sync.Mutex
	file *os.File
}

// openAudit opens the file, or makes it; "" is none.
func openAudit(path string) (*auditFile, error) {
	if path == "" {
		return nil, nil
	}
	a := &auditFile{path: path}
	return a, a.reopen()
}

// reopen goes on in the file that has the name by now. On an error it goes on in
// the one before.
func (a *auditFile) reopen() error {
	if a == nil {
		return nil
	}
	file, err := os.OpenFile(a.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("the audit log %s can't be written: %w; make its folder, or name another file with audit = \"FILE\"", a.path, cause(err))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		a.file.Close()
	}
	a.file = file
	return nil
}

// writer is a as dozo.Server takes it.
func (a *auditFile) writer() io.Writer {
	if a == nil {
		return nil
	}
	return a
}

func (a *auditFile) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.file.Write(p)
}

func (a *auditFile) Close() error {
	if a == nil {
		return nil
	}
	return a.file.Close()
}

// auditOutside refuses an audit log that clients of a share could read or change.
func auditOutside(path string, folders []folder) error {
	if path == "" {
		return nil
	}
	dir, err := mount.RealPath(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, f := range folders {
		if mount.Overlap(filepath.Join(dir, filepath.Base(path)), above(f.path)) {
			return fmt.Errorf("the audit log %s is in the share %s (%s), for all who use that; name a file elsewhere with audit = \"FILE\"", path, f.name, f.path)
		}
	}
	return nil
}
