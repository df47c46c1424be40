package dozo_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/vfs/memfs"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestServeRefuses(t *testing.T) {
	tests := []struct {
		name  string
		share dozo.Share
		want  string
	}{
		{"no name", dozo.Share{FS: memfs.New()}, "has no name"},
		{"neither folder nor FS", dozo.Share{Name: "a"}, "needs a Path or an FS"},
		{"both", dozo.Share{Name: "a", Path: "/", FS: memfs.New()}, "needs a Path or an FS"},
		{"no folder there", dozo.Share{Name: "a", Path: filepath.Join(t.TempDir(), "missing")}, "the share a: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := listen(t)
			err := (&dozo.Server{Shares: []dozo.Share{tt.share}}).Serve(t.Context(), l)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Serve = %v, want %q", err, tt.want)
			}
			if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("the listener is not closed: %v", err)
			}
		})
	}
}

// TestFoldersMustBeApart: of one folder in two shares each would miss what is done
// through the other, whatever path leads there.
func TestFoldersMustBeApart(t *testing.T) {
	outer := t.TempDir()
	inner, link := filepath.Join(outer, "inner"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Mkdir(inner, 0o755), os.Symlink(inner, link)); err != nil {
		t.Fatal(err)
	}
	absent := func(path string) dozo.Share { return dozo.Share{Path: path, FileSystem: "uuid of another disk"} }
	for _, tt := range []struct {
		name    string
		a, b    dozo.Share
		refused bool
	}{
		{"the same", dozo.Share{Path: inner}, dozo.Share{Path: inner}, true},
		{"inside", dozo.Share{Path: outer}, dozo.Share{Path: inner}, true},
		{"around", dozo.Share{Path: inner}, dozo.Share{Path: outer}, true},
		{"by a link", dozo.Share{Path: inner}, dozo.Share{Path: link}, true},
		{"inside, by a link", dozo.Share{Path: link}, dozo.Share{Path: outer}, true},
		{"disks that are absent", absent(outer), absent(filepath.Join(outer, "missing")), true},
		{"beside each other", dozo.Share{Path: inner}, dozo.Share{Path: inner + "-not", FileSystem: "uuid of another disk"}, false},
		{"trees of the program", dozo.Share{FS: memfs.New()}, dozo.Share{FS: memfs.New()}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.a.Name, tt.b.Name = "a", "b"
			both := []dozo.Share{tt.a, tt.b}
			apart := &dozo.Server{Shares: both[:1]}
			serving(t, apart)
			err := apart.SetShares(t.Context(), both)
			if !tt.refused {
				if err != nil {
					t.Errorf("SetShares = %v", err)
				}
				return
			}
			const want = "the shares a and b overlap"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("SetShares = %v, want %q", err, want)
			}
			if n := len(apart.Snapshot().Shares); n != 1 {
				t.Errorf("%d shares are served", n)
			}
			err = (&dozo.Server{Shares: both}).Serve(t.Context(), listen(t))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Serve = %v, want %q", err, want)
			}
		})
	}
}

func TestServeOnceAndShutDown(t *testing.T) {
	ready := make(chan struct{})
	srv := &dozo.Server{Name: "box", Shares: []dozo.Share{{Name: "a", FS: memfs.New(), Guest: dozo.GuestRead}}, Ready: func() { close(ready) }}
	if s := srv.Snapshot(); len(s.Shares) != 0 {
		t.Errorf("before Serve the snapshot has shares: %+v", s)
	}
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown before Serve = %v", err)
	}
	done := make(chan error)
	l := listen(t)
	go func() { done <- srv.Serve(context.Background(), l) }()
	<-ready
	s := srv.Snapshot()
	if s.Name != "BOX" || len(s.Listening) != 1 || s.Listening[0] != l.Addr().String() || len(s.Shares) != 1 || s.Shares[0].Guest != "read" {
		t.Errorf("snapshot = %+v", s)
	}
	if err := srv.Serve(t.Context(), listen(t)); !errors.Is(err, dozo.ErrServing) {
		t.Errorf("second Serve = %v", err)
	}
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown = %v", err)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Serve = %v after Shutdown", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Serve goes on after Shutdown")
	}
}

// TestAbsentFileSystem: a share whose folder is on another file system than
// before is refused, and the server runs all the same.
func TestAbsentFileSystem(t *testing.T) {
	ready := make(chan struct{})
	folder := t.TempDir()
	srv := &dozo.Server{Shares: []dozo.Share{
		{Name: "gone", Path: folder, FileSystem: "uuid of another disk"},
		{Name: "there", FS: memfs.New()},
	}, Ready: func() { close(ready) }}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- srv.Serve(ctx, listen(t)) }()
	<-ready
	shares := srv.Snapshot().Shares
	if !strings.Contains(shares[0].Refused, "uuid of another disk") || shares[1].Refused != "" {
		t.Errorf("shares = %+v", shares)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("Serve = %v", err)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 0 {
		t.Errorf("the folder holds %v", entries)
	}
}
