package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/dozo-server/dozo/internal/disk"
)

// Folder is a Target on this machine: what the system itself can do.
type Folder string

// OpenFolder returns the folder of a path, which must be there.
func OpenFolder(path string) (Folder, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no folder %s; make it first: mkdir %s", path, path)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is a file; name a folder", path)
	}
	path, err = filepath.Abs(path)
	return Folder(path), err
}

func (d Folder) path(path string) string { return filepath.Join(string(d), path) }

// Mkdir makes a folder that everybody may look into, as a server acts for
// others than its own user.
func (d Folder) Mkdir(_ context.Context, path string) error { return os.Mkdir(d.path(path), 0o755) }

// Create makes a file.
func (d Folder) Create(_ context.Context, path string) (File, error) {
	return openFile(d.path(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

// Open opens a file.
func (d Folder) Open(_ context.Context, path string) (File, error) {
	return openFile(d.path(path), os.O_RDONLY)
}

func openFile(path string, flag int) (File, error) {
	f, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return nil, err // not a nil *os.File in a File
	}
	return localFile{f}, nil
}

// Remove deletes a file or an empty folder.
func (d Folder) Remove(_ context.Context, path string) error { return os.Remove(d.path(path)) }

// listChunk is how many entries are read at a time.
const listChunk = 1024

// List goes through a folder in the order of the disk.
func (d Folder) List(_ context.Context, path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := os.Open(d.path(path))
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer f.Close()
		for {
			infos, err := f.Readdir(listChunk)
			for _, info := range infos {
				if !yield(Entry{info.Name(), info.IsDir()}, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// Space returns the room of the file system.
func (d Folder) Space(context.Context) (Space, error) {
	root, err := disk.OpenRoot(string(d))
	if err != nil {
		return Space{}, err
	}
	defer root.Close()
	s, err := root.Space()
	if err != nil {
		return Space{}, err
	}
	if s.ReadOnly {
		return Space{}, fmt.Errorf("the file system of %s is mounted to be read only; name another folder", d)
	}
	room := s.Available
	if os.Geteuid() == 0 {
		room = s.Free
	}
	return Space{Bytes: room, Files: s.FilesFree, Limited: s.Files > 0}, nil
}

// Renew does nothing: what the system's cache holds stays.
func (d Folder) Renew(context.Context) (Renewal, error) { return NothingNew, nil }

// Link returns nil.
func (d Folder) Link() *Link { return nil }

// Close does nothing.
func (d Folder) Close() error { return nil }

// localFile is a file of this machine.
type localFile struct{ *os.File }

func (f localFile) WriteAt(_ context.Context, p []byte, off int64) (int, error) {
	return f.File.WriteAt(p, off)
}

func (f localFile) Close(context.Context) error { return f.File.Close() }
