package smb_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// endless is a file system whose folders have no end that a client would wait
// for.
type endless struct {
	vfs.FS
	begun, closed chan struct{} // get one when a listing has seen some, and when it is closed
}

const longEnough = 20 * time.Second

func (e *endless) Open(ctx context.Context, c *vfs.Caller, path string, o vfs.OpenOptions) (vfs.File, error) {
	f, err := e.FS.Open(ctx, c, path, o)
	if err != nil {
		return nil, err
	}
	return &endlessFolder{f, e}, nil
}

type endlessFolder struct {
	vfs.File
	fs *endless
}

func (f *endlessFolder) List(context.Context, *vfs.Caller) (vfs.Lister, error) {
	return &endlessLister{fs: f.fs, end: time.Now().Add(longEnough)}, nil
}

type endlessLister struct {
	fs    *endless
	end   time.Time
	n     int
	calls int
}

func (l *endlessLister) Next(_ context.Context, entries []vfs.Entry, _ bool) (int, error) {
	if time.Now().After(l.end) {
		return 0, io.EOF
	}
	for i := range entries {
		l.n++
		entries[i] = vfs.Entry{Name: fmt.Sprintf("file %d", l.n), Attr: vfs.Attr{Type: vfs.TypeFile, ID: uint64(100 + l.n)}}
	}
	if l.calls++; l.calls == 20 {
		l.fs.begun <- struct{}{}
	}
	return len(entries), nil
}

func (l *endlessLister) Close() error {
	l.fs.closed <- struct{}{}
	return nil
}

// A search in a huge folder ends when its client wants no more of it, or is gone,
// however much is left to be looked at. What it has found by then is not lost.
func TestSearchIsGivenUp(t *testing.T) {
	for _, tt := range []struct {
		what    string
		pattern string
		giveUp  func(call *smbclient.Call, d *smbclient.File) error
		want    smbwire.Status // 0 when nobody is there to be told
		found   int
	}{
		{"canceled", "*.none", cancelCall, smbwire.StatusCancelled, 0},
		{"canceled when it has found some", "file ??", cancelCall, smbwire.StatusOK, 90},
		{"logged off", "*.none", func(_ *smbclient.Call, d *smbclient.File) error { return d.Tree().Session().Logoff(ctx) }, smbwire.StatusFileClosed, 0},
		{"disconnected from the share", "*.none", func(_ *smbclient.Call, d *smbclient.File) error { return d.Tree().Disconnect(ctx) }, smbwire.StatusFileClosed, 0},
		{"gone", "*.none", func(_ *smbclient.Call, d *smbclient.File) error { return d.Tree().Session().Conn().Close() }, 0, 0},
	} {
		t.Run(tt.what, func(t *testing.T) {
			fs := &endless{FS: memfs.New(), begun: make(chan struct{}, 1), closed: make(chan struct{}, 1)}
			tree := connect(t, serve(t, fs, share.Options{}), shareName, smbclient.Options{})
			d := open(t, tree, smbclient.Existing("", smbwire.FileListDirectory))
			calls, err := tree.Session().Conn().Start(ctx, &smbclient.Request{
				Command: smbwire.QueryDirectory, Tree: tree,
				Body: &smbwire.QueryDirectoryRequest{
					Class: smbwire.FileNamesInformation, FileID: d.ID(), FileName: tt.pattern, OutputBufferLength: 1 << 16,
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			<-fs.begun
			promptly(t, func() error { return tt.giveUp(calls[0], d) })
			if tt.want == smbwire.StatusOK && tt.found == 0 {
				select {
				case <-fs.closed:
				case <-time.After(longEnough / 2):
					t.Error("it goes on")
				}
				return
			}
			r, err := calls[0].Wait(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Free()
			if r.Header.Status != tt.want {
				t.Errorf("%v, want %v", r.Header.Status, tt.want)
			}
			found := 0
			var answer smbwire.QueryDirectoryResponse
			if tt.found > 0 && r.Decode(&answer) == nil {
				for range smbwire.DirectoryEntries(smbwire.FileNamesInformation, answer.Data) {
					found++
				}
			}
			if found != tt.found {
				t.Errorf("%d names are found, want %d", found, tt.found)
			}
		})
	}
}

func cancelCall(call *smbclient.Call, _ *smbclient.File) error {
	call.Cancel()
	return nil
}
