package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/dozo-server/dozo/internal/mount"
)

// auditFile is the file that the audit log is written to. Who moves it away, so
// that it does not grow for ever, has it opened again. Nil: there is none.
type auditFile struct {
	path string

	mu   sync.Mutex
	file *os.File
	torn bool // it ends within a line
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
	// A pipe that nobody reads is an error, and not waited for.
	file, err := os.OpenFile(a.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return noAudit(a.path, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		a.file.Close()
	}
	a.file, a.torn = file, endsWithin(a.path)
	return nil
}

func noAudit(path string, err error) error {
	return fmt.Errorf("the audit log %s can't be written: %w; make its folder, or name another file with audit = \"FILE\"", path, cause(err))
}

// endsWithin reports whether a file ends within a line, which somebody wrote who was
// killed.
func endsWithin(path string) bool {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	var last [1]byte
	_, err = file.Seek(-1, io.SeekEnd)
	if err == nil {
		_, err = file.Read(last[:])
	}
	return err == nil && last[0] != '\n'
}

// writer is a as dozo.Server takes it.
func (a *auditFile) writer() io.Writer {
	if a == nil {
		return nil
	}
	return a
}

// Write writes lines. Of those that find no room none is begun.
func (a *auditFile) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.torn {
		if _, err := a.file.WriteString("\n"); err != nil {
			return 0, err
		}
		a.torn = false
	}
	n, err := a.file.Write(p)
	whole := bytes.LastIndexByte(p[:n], '\n') + 1
	if begun := n - whole; begun > 0 {
		a.torn = a.cut(begun) != nil
	}
	return whole, err
}

// cut takes the last n bytes away.
func (a *auditFile) cut(n int) error {
	info, err := a.file.Stat()
	if err != nil {
		return err
	}
	return a.file.Truncate(info.Size() - int64(n))
}

func (a *auditFile) Close() error {
	if a == nil {
		return nil
	}
	return a.file.Close()
}

// auditOutside refuses an audit log that has no folder, and one that clients of a
// share could read or change.
func auditOutside(path string, folders []folder) error {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return noAudit(path, err)
	}
	real, err := mount.RealPath(path) // where a link leads
	if err != nil {
		return err
	}
	for _, f := range folders {
		if mount.Overlap(real, above(f.path)) {
			return fmt.Errorf("the audit log %s is in the share %s (%s), for all who use that; name a file elsewhere with audit = \"FILE\"", path, f.name, f.path)
		}
	}
	return nil
}
