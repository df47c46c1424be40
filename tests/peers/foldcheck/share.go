package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// share is the share, and where it is on this machine. Paths have slashes.
type share struct {
	ctx  context.Context
	tree *smbclient.Tree
	root string
}

// local is a path of the share on this machine.
func (s *share) local(name string) string { return filepath.Join(s.root, name) }

// put makes a file, as a local process; what is there stays.
func (s *share) put(name, text string) error {
	f, err := os.OpenFile(s.local(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// list lists a folder by SMB.
func (s *share) list(dir string) (names []string, err error) {
	f, err := s.tree.Create(s.ctx, smbclient.Folder(smbclient.Name(dir)))
	if err != nil {
		return nil, err
	}
	defer f.Close(s.ctx)
	for e, err := range f.List(s.ctx, smbwire.FileNamesInformation, "*") {
		if err != nil {
			return nil, err
		}
		if e.FileName != "." && e.FileName != ".." {
			names = append(names, e.FileName)
		}
	}
	slices.Sort(names)
	return names, nil
}

// open opens a file by SMB and returns what is in it and the name it is said to
// have.
func (s *share) open(name string) (text, stored string, err error) {
	f, err := s.tree.Open(s.ctx, smbclient.Name(name), smbwire.GenericRead)
	if err != nil {
		return "", "", err
	}
	defer f.Close(s.ctx)
	var all smbwire.AllInformation
	if err := f.Query(s.ctx, smbwire.FileAllInformation, &all); err != nil {
		return "", "", err
	}
	buf := make([]byte, all.Standard.EndOfFile)
	if _, err := f.ReadAt(s.ctx, buf, 0); err != nil && len(buf) > 0 {
		return "", "", err
	}
	return string(buf), strings.Trim(strings.ReplaceAll(all.Name, `\`, "/"), "/"), nil
}

// make makes a file by SMB, or with overwrite empties what is there.
func (s *share) make(name, text string, overwrite bool) error {
	m := smbclient.Making(smbclient.Name(name))
	if !overwrite {
		m.Disposition = smbwire.FileCreate
	}
	f, err := s.tree.Create(s.ctx, m)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(s.ctx, []byte(text), 0)
	return errors.Join(err, f.Close(s.ctx))
}

func (s *share) remove(name string) error { return s.tree.Remove(s.ctx, smbclient.Name(name)) }

func (s *share) rename(from, to string, replace bool) error {
	return s.tree.Rename(s.ctx, smbclient.Name(from), smbclient.Name(to), replace)
}

// hides checks that no spelling leads to the server's own folder.
func (s *share) hides() error {
	if err := os.MkdirAll(s.local(".dozo"), 0o755); err != nil {
		return err
	}
	for _, name := range []string{".dozo", ".DOZO", ".do\u00adzo", ".\uff44ozo"} {
		if _, err := os.Lstat(s.local(name)); err != nil {
			continue
		}
		if f, err := s.tree.Open(s.ctx, name, smbwire.FileReadAttributes); err == nil {
			f.Close(s.ctx)
			return fmt.Errorf("%q leads to the server's own folder", name)
		}
		if err := s.tree.Mkdir(s.ctx, name); err == nil {
			return fmt.Errorf("%q could be made", name)
		}
	}
	return nil
}

// settles waits until the share shows its folder as it is.
func (s *share) settles(most time.Duration) error {
	began := time.Now()
	for {
		wrong := s.differs()
		switch took := time.Since(began); {
		case wrong == nil:
			fmt.Printf("foldcheck: %s shows what is there after %.1f s\n", *name, took.Seconds())
			return nil
		case took > most:
			return fmt.Errorf("still after %.1f s: %w", took.Seconds(), wrong)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// differs tells what the share shows otherwise than the disk.
func (s *share) differs() error {
	want, err := names(s.root)
	if err != nil {
		return err
	}
	want = slices.DeleteFunc(want, func(n string) bool { return n == ".dozo" })
	got, err := s.list("")
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("listed %q, on disk %q", got, want)
	}
	for _, name := range want {
		text, err := os.ReadFile(s.local(name))
		if err != nil {
			continue // a folder
		}
		if read, _, err := s.open(path.Clean(name)); err != nil || read != string(text) {
			return fmt.Errorf("%s holds %q, on disk %q (%v)", name, read, text, err)
		}
	}
	return nil
}

// names lists a folder of this machine.
func names(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, err
}
