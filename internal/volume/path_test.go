package volume

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// TestPathIsWhatListingsShow opens a name that no client can spell: it is told
// by the same name as in a listing, and that opens it again.
func TestPathIsWhatListingsShow(t *testing.T) {
	dir := tempFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "a:b"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir, Options{})
	c := &vfs.Caller{}
	root, err := v.Open(ctx, c, "", vfs.OpenOptions{Access: vfs.ListDir})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	l, err := root.List(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	entries := make([]vfs.Entry, 2)
	if n, _ := l.Next(ctx, entries, true); n != 1 {
		t.Fatalf("%d entries", n)
	}
	f, err := v.Open(ctx, c, entries[0].Name, vfs.OpenOptions{Access: vfs.ReadAttr})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Path(); got != entries[0].Name || got == "a:b" {
		t.Errorf("Path is %q, the listing says %q", got, entries[0].Name)
	}
}
