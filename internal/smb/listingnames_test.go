package smb_test

import (
	"context"
	"testing"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// counted counts the entries of its root of which more than the name is asked.
type counted struct {
	vfs.FS
	looks int // read while no request is under way
}

func (c *counted) Open(ctx context.Context, who *vfs.Caller, path string, o vfs.OpenOptions) (vfs.File, error) {
	f, err := c.FS.Open(ctx, who, path, o)
	if path != "" {
		return f, err
	}
	return &countedFile{f, c}, err
}

type countedFile struct {
	vfs.File
	c *counted
}

func (f *countedFile) List(ctx context.Context, who *vfs.Caller) (vfs.Lister, error) {
	l, err := f.File.List(ctx, who)
	return &countedLister{l, f.c}, err
}

func (f *countedFile) Lookup(ctx context.Context, who *vfs.Caller, name string, exact bool) (vfs.Entry, error) {
	f.c.looks++
	return f.File.Lookup(ctx, who, name, exact)
}

type countedLister struct {
	vfs.Lister
	c *counted
}

func (l *countedLister) Next(ctx context.Context, entries []vfs.Entry, names bool) (int, error) {
	n, err := l.Lister.Next(ctx, entries, names)
	if !names {
		l.c.looks += n
	}
	return n, err
}

// A listing of names asks for nothing else. A client that goes over to another
// class in its middle is told all of what is left, and of nothing that went away.
func TestListingNames(t *testing.T) {
	fs := &counted{FS: memfs.New()}
	tree := connect(t, serve(t, fs, share.Options{}), shareName, smbclient.Options{})
	files := []string{"a", "bb", "ccc", "goes", "eeeee"}
	for _, name := range files {
		if err := tree.WriteFile(ctx, name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, tree, smbclient.Existing("", smbwire.FileListDirectory))
	m := smbwire.QueryDirectoryRequest{Class: smbwire.FileNamesInformation, FileName: "*", OutputBufferLength: 1 << 16}
	if names, _ := list(t, d, m); len(names) != len(files)+2 || fs.looks != 0 {
		t.Errorf("%q are listed, after %d looks", names, fs.looks)
	}

	m.FileID = d.ID()
	m.Flags = smbwire.QueryRestartScans | smbwire.QuerySingleEntry
	next := func() (all []smbwire.DirectoryEntry) {
		t.Helper()
		data, status := ask(t, d, smbwire.QueryDirectory, &m)
		if status != smbwire.StatusOK {
			t.Fatal(status)
		}
		for e, err := range smbwire.DirectoryEntries(m.Class, data) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, *e)
		}
		m.Flags &^= smbwire.QueryRestartScans
		return all
	}
	for range 4 { // with "." and ".."
		next()
	}
	if err := tree.Remove(ctx, "goes"); err != nil {
		t.Fatal(err)
	}
	m.Class, m.Flags = smbwire.FileDirectoryInformation, 0
	rest := next()
	if len(rest) != 2 || rest[0].FileName != "ccc" || rest[1].FileName != "eeeee" {
		t.Fatalf("the rest is %+v", rest)
	}
	for _, e := range rest {
		if e.EndOfFile != uint64(len(e.FileName)) || e.LastWriteTime == 0 || e.FileAttributes == 0 {
			t.Errorf("%+v", e)
		}
	}
}
