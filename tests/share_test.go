package tests

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// connect is the share in the hands of the program's own client, which can say
// more than others.
func (s *server) connect() *share {
	s.t.Helper()
	return &share{s.t, s.tree(smbclient.Options{RequireSigning: true})}
}

// tree is the share, in a session of the server's user that ends with the test.
func (s *server) tree(o smbclient.Options) *smbclient.Tree {
	s.t.Helper()
	tree, err := s.join(s.t.Context(), s.share, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { tree.Session().Conn().Close() })
	return tree
}

// join connects to a share in a new session of the server's user, which ends
// with its connection.
func (s *server) join(ctx context.Context, share string, o smbclient.Options) (*smbclient.Tree, error) {
	o.Login.User, o.Login.Password = s.user, s.password
	session, err := smbclient.Dial(ctx, s.addr(), o)
	if err != nil {
		return nil, err
	}
	tree, err := session.Tree(ctx, share)
	if err != nil {
		session.Conn().Close()
	}
	return tree, err
}

// share is a share that is expected to work.
type share struct {
	t    *testing.T
	tree *smbclient.Tree
}

// open opens or makes what m says; the file is to be closed.
func (c *share) open(m *smbwire.CreateRequest) *smbclient.File {
	c.t.Helper()
	f, err := c.tree.Create(c.t.Context(), m)
	if err != nil {
		c.t.Fatalf("open %+q: %v", m.Name, err)
	}
	return f
}

func (c *share) close(f *smbclient.File) { f.Close(c.t.Context()) }

// write makes a file, or empties it, and writes text.
func (c *share) write(name, text string) {
	c.t.Helper()
	if err := c.tree.WriteFile(c.t.Context(), name, []byte(text)); err != nil {
		c.t.Fatalf("write %+q: %v", name, err)
	}
}

// is fails the test unless the file has the text.
func (c *share) is(name, text string) {
	c.t.Helper()
	got, err := c.tree.ReadFile(c.t.Context(), name, 1<<16)
	if err != nil || string(got) != text {
		c.t.Errorf("read %+q: %q, %v; want %q", name, got, err, text)
	}
}

// refuses fails the test unless a name can't be made, for the reason.
func (c *share) refuses(name string, want smbwire.Status) {
	c.t.Helper()
	m := smbclient.Making(name)
	m.Disposition = smbwire.FileCreate
	f, err := c.tree.Create(c.t.Context(), m)
	if err == nil {
		c.close(f)
	}
	if !errors.Is(err, want) {
		c.t.Errorf("create %+q: %v, want %v", name, err, want)
	}
}

func (c *share) rename(from, to string) {
	c.t.Helper()
	if err := c.tree.Rename(c.t.Context(), from, to, false); err != nil {
		c.t.Errorf("rename %+q to %+q: %v", from, to, err)
	}
}

func (c *share) remove(name string) {
	c.t.Helper()
	if err := c.tree.Remove(c.t.Context(), name); err != nil {
		c.t.Errorf("remove %+q: %v", name, err)
	}
}

// id returns the id of what stands at a name.
func (c *share) id(name string) uint64 {
	c.t.Helper()
	f := c.open(smbclient.Existing(name, smbwire.FileReadAttributes))
	defer c.close(f)
	var i smbwire.InternalInformation
	if err := f.Query(c.t.Context(), smbwire.FileInternalInformation, &i); err != nil {
		c.t.Fatal(err)
	}
	return i.FileID
}

// list returns what a folder holds by a pattern, sorted.
func (c *share) list(folder, pattern string) (names []string) {
	c.t.Helper()
	for _, e := range c.entries(folder, pattern) {
		names = append(names, e.FileName)
	}
	slices.Sort(names)
	return names
}

func (c *share) entries(folder, pattern string) (all []smbwire.DirectoryEntry) {
	c.t.Helper()
	d := c.open(smbclient.Folder(folder))
	defer c.close(d)
	for e, err := range d.List(c.t.Context(), smbwire.FileIDBothDirectoryInformation, pattern) {
		if err != nil {
			c.t.Fatalf("list %+q: %v", folder, err)
		}
		if e.FileName != "." && e.FileName != ".." {
			all = append(all, *e)
		}
	}
	return all
}

// lists fails the test unless the folder holds just these names.
func (c *share) lists(folder string, want ...string) {
	c.t.Helper()
	slices.Sort(want)
	if got := c.list(folder, "*"); !slices.Equal(got, want) {
		c.t.Errorf("%+q holds %+q, want %+q", folder, got, want)
	}
}
