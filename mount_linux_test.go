package dozo_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/dozo-server/dozo"
)

// TestFileSystemGoesAway: a folder that is on another file system all at once
// is refused, also by the server that saw the first one itself, until that is
// back.
func TestFileSystemGoesAway(t *testing.T) {
	folder := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount")
	}
	ready := make(chan struct{})
	srv := &dozo.Server{Shares: []dozo.Share{{Name: "disk", Path: folder}}, Ready: func() { close(ready) }}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- srv.Serve(ctx, listen(t)) }()
	<-ready
	refused := func() string { return srv.Snapshot().Shares[0].Refused }
	if why := refused(); why != "" {
		t.Fatal(why)
	}
	if err := syscall.Mount("dozo-test", folder, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("mounting is not allowed here: ", err)
	}
	other := refused()
	if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	if other == "" {
		t.Error("another file system was served in place of the first")
	}
	if why := refused(); why != "" {
		t.Errorf("the first one is back, but %s", why)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("Serve = %v", err)
	}
}

// TestAFolderMountedTwice: one folder at two places is still one folder.
func TestAFolderMountedTwice(t *testing.T) {
	folder, place := t.TempDir(), t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount")
	}
	if err := syscall.Mount(folder, place, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("mounting is not allowed here: ", err)
	}
	defer syscall.Unmount(place, syscall.MNT_DETACH)
	srv := &dozo.Server{Shares: []dozo.Share{{Name: "folder", Path: folder}, {Name: "place", Path: place}}}
	if err := srv.Serve(t.Context(), listen(t)); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("Serve = %v", err)
	}
}
