package dozo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// accounts makes users with the password of logIn.
func accounts(t *testing.T, names ...string) *auth.Store {
	t.Helper()
	store := auth.NewStore(filepath.Join(t.TempDir(), "users"))
	for _, name := range names {
		record, err := auth.NewRecord(name, "Secret77")
		if err == nil {
			err = store.Add(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func setShares(t *testing.T, srv *dozo.Server, shares ...dozo.Share) {
	t.Helper()
	if err := srv.SetShares(t.Context(), shares); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, s *smbclient.Session, share string) *smbclient.Tree {
	t.Helper()
	tree, err := s.Tree(t.Context(), share)
	if err != nil {
		t.Fatalf("connecting to %s: %v", share, err)
	}
	return tree
}

// TestReloadUnderLoad replaces the shares again and again while clients read and
// write. Those of the shares that stay must not notice; who uses the share that
// comes and goes is told that it is gone, and nothing else.
func TestReloadUnderLoad(t *testing.T) {
	disk, memory, visiting := t.TempDir(), memfs.New(), t.TempDir()
	shares := func(turn int) []dozo.Share {
		all := []dozo.Share{
			{Name: "disk", Path: disk, Comment: fmt.Sprint("turn ", turn), CreateMask: uint32(0o600 + turn%2*0o044)},
			{Name: "memory", FS: memory, Users: []string{"anna", fmt.Sprint("user", turn)}},
		}
		switch turn % 3 {
		case 0:
			all = append(all, dozo.Share{Name: "visitor", Path: visiting})
		case 1:
			all = append(all, dozo.Share{Name: "visitor", Path: visiting, CaseSensitive: true})
		}
		return all
	}
	srv := &dozo.Server{Users: accounts(t, "anna"), Shares: shares(0)}
	addr := serving(t, srv)

	var stop atomic.Bool
	var working sync.WaitGroup
	var done [3]atomic.Int64
	for i, name := range []string{"disk", "memory", "disk", "memory"} {
		tree := connect(t, logIn(t, addr, "anna"), name)
		working.Go(func() {
			data := bytes.Repeat([]byte{byte(i)}, 100_000)
			file, err := tree.Create(t.Context(), smbclient.Making(fmt.Sprintf("kept %d", i)))
			if err != nil {
				t.Error(err)
				return
			}
			for n := 0; !stop.Load(); n++ {
				if err := errors.Join(useFile(t.Context(), file, data), useTree(t.Context(), tree, fmt.Sprintf("file %d %d", i, n%10), data)); err != nil {
					t.Errorf("a client of %s: %v", name, err)
					return
				}
				done[i%2].Add(1)
			}
		})
	}
	for i := range 2 {
		session := logIn(t, addr, "anna")
		working.Go(func() {
			for !stop.Load() {
				tree, err := session.Tree(t.Context(), "visitor")
				for n := 0; err == nil; n++ {
					err = useTree(t.Context(), tree, fmt.Sprintf("visit %d %d", i, n%10), []byte("hello"))
					done[2].Add(1)
					if stop.Load() {
						return
					}
				}
				if !gone(err) {
					t.Errorf("a client of the share that comes and goes: %v", err)
					return
				}
			}
		})
	}
	for turn := range 150 {
		setShares(t, srv, shares(turn)...)
	}
	stop.Store(true)
	working.Wait()
	for i, what := range []string{"disk", "memory", "the visitor"} {
		if n := done[i].Load(); n == 0 {
			t.Errorf("nothing was done on %s", what)
		}
	}
}

// gone reports whether err tells that the share or what was open in it is gone.
func gone(err error) bool {
	return errors.Is(err, smbwire.StatusNetworkNameDeleted) || errors.Is(err, smbwire.StatusBadNetworkName) ||
		errors.Is(err, smbwire.StatusFileClosed)
}

// useFile writes and reads an open file.
func useFile(ctx context.Context, f *smbclient.File, data []byte) error {
	if _, err := f.WriteAt(ctx, data, 0); err != nil {
		return err
	}
	back := make([]byte, len(data))
	if _, err := f.ReadAt(ctx, back, 0); err != nil {
		return err
	}
	if !bytes.Equal(back, data) {
		return errors.New("what was read is not what was written")
	}
	return nil
}

// useTree makes a file, uses it and finds it in the list.
func useTree(ctx context.Context, tree *smbclient.Tree, name string, data []byte) error {
	f, err := tree.Create(ctx, smbclient.Making(name))
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := useFile(ctx, f, data); err != nil {
		return fmt.Errorf("use: %w", err)
	}
	return f.Close(ctx)
}

// TestARemovedShareIsDisconnected: its files are closed, its name is gone, and
// the session goes on.
func TestARemovedShareIsDisconnected(t *testing.T) {
	folder := t.TempDir()
	stays := dozo.Share{Name: "stays", FS: memfs.New()}
	srv := &dozo.Server{Users: accounts(t, "anna"), Shares: []dozo.Share{stays, {Name: "goes", Path: folder}}}
	session := logIn(t, serving(t, srv), "anna")
	goes, stay := connect(t, session, "goes"), connect(t, session, "stays")
	file, err := goes.Create(t.Context(), smbclient.Making("open"))
	if err != nil {
		t.Fatal(err)
	}
	doomed := smbclient.Making("doomed")
	doomed.Options |= smbwire.DeleteOnClose
	if _, err := goes.Create(t.Context(), doomed); err != nil {
		t.Fatal(err)
	}

	setShares(t, srv, stays)
	if _, err := os.Stat(filepath.Join(folder, "doomed")); err == nil {
		t.Error("a file that was to be deleted when closed is there")
	}
	if _, err := file.WriteAt(t.Context(), []byte("x"), 0); !errors.Is(err, smbwire.StatusNetworkNameDeleted) {
		t.Errorf("a write to a share that is gone = %v", err)
	}
	if _, err := session.Tree(t.Context(), "goes"); !errors.Is(err, smbwire.StatusBadNetworkName) {
		t.Errorf("connecting to a share that is gone = %v", err)
	}
	if err := stay.WriteFile(t.Context(), "a", []byte("b")); err != nil {
		t.Error(err)
	}
	if s := srv.Snapshot(); len(s.Shares) != 1 || len(s.Opens) != 0 || len(s.Sessions) != 1 || fmt.Sprint(s.Sessions[0].Shares) != "[stays]" {
		t.Errorf("snapshot = %+v", s)
	}

	// It comes back, under another name, too.
	setShares(t, srv, stays, dozo.Share{Name: "comes", Path: folder})
	if err := connect(t, session, "comes").WriteFile(t.Context(), "c", nil); err != nil {
		t.Error(err)
	}
}

// TestOptionsChangeWhileServed tries each option on a client that is connected
// and has a file open.
func TestOptionsChangeWhileServed(t *testing.T) {
	const goesOn, looks, isOut = "goes on", "may look only", "is disconnected"
	other := t.TempDir()
	tests := []struct {
		name   string
		change func(*dozo.Share)
		want   string
	}{
		{"a comment", func(o *dozo.Share) { o.Comment = "new" }, goesOn},
		{"no change", func(o *dozo.Share) {}, goesOn},
		{"others, too", func(o *dozo.Share) { o.Users = []string{"bert", "Anna"} }, goesOn},
		{"read-only", func(o *dozo.Share) { o.ReadOnly = true }, looks},
		{"read-only for the user", func(o *dozo.Share) { o.ReadOnlyUsers = []string{"anna"} }, looks},
		{"others only", func(o *dozo.Share) { o.Users = []string{"bert"} }, isOut},
		{"encryption", func(o *dozo.Share) { o.Encrypt = true }, isOut},
		{"another folder", func(o *dozo.Share) { o.Path = other }, isOut},
		{"case", func(o *dozo.Share) { o.CaseSensitive = true }, isOut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := dozo.Share{Name: "share", Path: t.TempDir()}
			srv := &dozo.Server{Users: accounts(t, "anna", "bert"), Shares: []dozo.Share{o}}
			tree := connect(t, logIn(t, serving(t, srv), "anna"), "share")
			file, err := tree.Create(t.Context(), smbclient.Making("open"))
			if err != nil {
				t.Fatal(err)
			}
			tt.change(&o)
			setShares(t, srv, o)

			err = useFile(t.Context(), file, []byte("open stays open"))
			if tt.want == isOut {
				if !errors.Is(err, smbwire.StatusNetworkNameDeleted) {
					t.Errorf("an open file: %v", err)
				}
				return
			}
			if err != nil {
				t.Errorf("an open file: %v", err)
			}
			err = tree.WriteFile(t.Context(), "new", nil)
			if refused := errors.Is(err, smbwire.StatusAccessDenied) || errors.Is(err, smbwire.StatusMediaWriteProtected); refused != (tt.want == looks) || !refused && err != nil {
				t.Errorf("a new file: %v, and the client %s", err, tt.want)
			}
		})
	}
}

func TestNewFilesHaveTheModesOfNow(t *testing.T) {
	folder := t.TempDir()
	srv := &dozo.Server{Users: accounts(t, "anna"), Shares: []dozo.Share{{Name: "share", Path: folder, CreateMask: 0o700}}}
	tree := connect(t, logIn(t, serving(t, srv), "anna"), "share")
	for mask, want := range map[uint32]os.FileMode{0o600: 0o600, 0o640: 0o640, 0: 0o644} {
		setShares(t, srv, dozo.Share{Name: "share", Path: folder, CreateMask: mask})
		name := fmt.Sprintf("%o", mask)
		if err := tree.WriteFile(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got&^want != 0 || got&0o600 != 0o600 {
			t.Errorf("mask %o makes %o, want %o", mask, got, want)
		}
	}
}

func TestGuestsComeAndGo(t *testing.T) {
	o := dozo.Share{Name: "share", FS: memfs.New()}
	srv := &dozo.Server{Users: accounts(t, "anna"), Shares: []dozo.Share{o}}
	addr := serving(t, srv)
	visit := func() error {
		s, err := smbclient.Dial(t.Context(), addr, smbclient.Options{Login: smbclient.Login{User: "stranger", Password: "none"}})
		if err != nil {
			return err
		}
		defer s.Conn().Close()
		_, err = s.Tree(t.Context(), "share")
		return err
	}
	for _, guest := range []dozo.GuestAccess{dozo.GuestNone, dozo.GuestRead, dozo.GuestNone} {
		o.Guest = guest
		setShares(t, srv, o)
		if err := visit(); (err == nil) != (guest == dozo.GuestRead) {
			t.Errorf("guest %d: %v", guest, err)
		}
	}
}

// TestSetSharesRefuses: what can't be served changes nothing.
func TestSetSharesRefuses(t *testing.T) {
	first := dozo.Share{Name: "first", FS: memfs.New()}
	srv := &dozo.Server{Users: accounts(t, "anna"), Shares: []dozo.Share{first}}
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error)
	srv.Ready = func() { close(ready) }
	l := listen(t)
	go func() { done <- srv.Serve(ctx, l) }()
	<-ready
	tree := connect(t, logIn(t, l.Addr().String(), "anna"), "first")
	changed := first
	changed.ReadOnly = true
	for _, tt := range []struct {
		with dozo.Share
		want string
	}{
		{dozo.Share{Name: "second", Path: filepath.Join(t.TempDir(), "missing")}, "the share second: "},
		{dozo.Share{Name: "FIRST", FS: memfs.New()}, "two shares are called FIRST"},
		{dozo.Share{Name: "second"}, "needs a Path or an FS"},
	} {
		err := srv.SetShares(t.Context(), []dozo.Share{changed, {Name: "third", Path: t.TempDir()}, tt.with})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("SetShares = %v, want %q", err, tt.want)
		}
	}
	if err := tree.WriteFile(t.Context(), "a", nil); err != nil {
		t.Error(err)
	}
	if s := srv.Snapshot(); len(s.Shares) != 1 || s.Shares[0].ReadOnly {
		t.Errorf("shares = %+v", s.Shares)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := srv.SetShares(t.Context(), nil); !errors.Is(err, dozo.ErrStopped) {
		t.Errorf("SetShares at the end = %v", err)
	}
}

func TestSetMemory(t *testing.T) {
	srv := &dozo.Server{Memory: 1 << 30, Shares: []dozo.Share{{Name: "share", FS: memfs.New()}}}
	if err := srv.SetShares(t.Context(), srv.Shares); err != nil { // before Serve
		t.Fatal(err)
	}
	serving(t, srv)
	srv.SetMemory(40 << 20)
	if m := srv.Snapshot().Memory; m.Most != 40<<20 || m.Limit > m.Most {
		t.Errorf("memory = %+v", m)
	}
}
