package dozo

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// removed is an FS that tells what is removed.
type removed struct {
	vfs.FS
	paths chan string
}

func (r *removed) Remove(ctx context.Context, c *vfs.Caller, f vfs.File) error {
	path := f.Path()
	err := r.FS.Remove(ctx, c, f)
	r.paths <- path
	return err
}

// TestBinsAreEmptied: a server that starts removes what bins have for long enough.
func TestBinsAreEmptied(t *testing.T) {
	fs := &removed{memfs.New(), make(chan string, 9)}
	for _, path := range []string{".bin", ".bin/anna", ".bin/anna/new", ".bin/anna/old"} {
		f, err := fs.Create(t.Context(), nil, path, vfs.CreateOptions{Directory: path == ".bin" || path == ".bin/anna"})
		if err != nil {
			t.Fatal(err)
		}
		if path == ".bin/anna/old" {
			long := time.Now().Add(-25 * time.Hour)
			f.SetAttr(t.Context(), nil, vfs.SetAttr{Set: vfs.SetAccessed | vfs.SetChanged, Accessed: long, Changed: long})
		}
		f.Close()
	}
	srv := &Server{Shares: []Share{{Name: "kept", FS: &removed{fs.FS, nil}, Recycle: ".bin"}, {Name: "s", FS: fs, Recycle: ".bin", RecycleDays: 1}}}
	ctx, stop := context.WithCancel(t.Context())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- srv.Serve(ctx, l) }()
	if got := <-fs.paths; got != ".bin/anna/old" {
		t.Errorf("%s is gone", got)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(fs.paths) > 0 {
		t.Errorf("%s is gone, too", <-fs.paths)
	}
	if err := (&Server{Shares: []Share{{Name: "s", FS: fs, RecycleDays: 1}}}).Serve(ctx); err == nil {
		t.Error("a bin that is not there is to be emptied")
	}
}

// TestExpireOnDisk: of a real folder what users deleted goes, in which each is
// their own account's if the process can be that.
func TestExpireOnDisk(t *testing.T) {
	dir := t.TempDir()
	ids := []*auth.Identity{{User: "anna", UID: 54001, GID: 54001}, {User: "bert", UID: 54002, GID: 54002}}
	for _, id := range ids { // before the server knows the folder
		for _, folder := range []string{id.User, id.User + "/d"} {
			if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
				t.Fatal(err)
			}
			if id.HasID = os.Geteuid() == 0; id.HasID {
				os.Chown(filepath.Join(dir, folder), int(id.UID), int(id.GID))
			}
		}
	}
	o := &Share{Name: "s", Path: dir}
	fs, err := o.openFolder(common{budget: budget.New(1 << 20), descriptors: names.NewDescriptors(0)}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	s := share.New(fs, share.Options{Recycle: ".bin", RecycleFor: time.Nanosecond})
	for _, id := range ids {
		user := id.User
		tree, err := s.Attach(id, netip.Addr{})
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := tree.Open(t.Context(), share.OpenRequest{Path: user + "/d/file", Access: vfs.Delete, Disposition: share.Create, DOS: vfs.DOSReadOnly})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.SetDelete(t.Context(), true, share.DeleteReadOnly); err != nil {
			t.Error(err)
		}
		if err := f.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, ".bin", user, user, "d", "file")); err != nil {
			t.Error(err)
		}
		tree.Release()
	}
	gone, err := s.Expire(t.Context())
	if gone != 6 || err != nil { // two files and the folders they were in
		t.Errorf("%d are gone, %v", gone, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".bin", "*", "*"))
	if len(left) > 0 || err != nil {
		t.Errorf("left are %q, %v", left, err)
	}
}
