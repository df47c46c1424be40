package smb_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// onlyAlice knows one alice, whose password is his name.
type onlyAlice struct{}

const alice = "alice"

func (onlyAlice) Lookup(name string) (auth.Record, error) {
	if name != alice {
		return auth.Record{}, auth.ErrUnknownUser
	}
	return auth.NewRecord(alice, alice)
}

func (onlyAlice) Identity(r auth.Record) (*auth.Identity, error) {
	return &auth.Identity{User: r.Name}, nil
}

// shareName is the name of the share that serve serves.
const shareName = "data"

// serve serves a file system until the test ends and returns its address.
func serve(t testing.TB, fs vfs.FS, o share.Options) string {
	t.Helper()
	o.Name = shareName
	sh := share.New(fs, o)
	s := smb.NewServer(smb.Config{
		Name:   "TEST",
		GUID:   [16]byte{1},
		Users:  onlyAlice{},
		Shares: served{sh},
		Log:    slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), l) }()
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	})
	return l.Addr().String()
}

// connect logs in at addr and connects to a share, until the test ends.
func connect(t testing.TB, addr, name string, o smbclient.Options) *smbclient.Tree {
	t.Helper()
	o.Login = smbclient.Login{User: alice, Password: alice}
	session, err := smbclient.Dial(t.Context(), addr, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Conn().Close() })
	tree, err := session.Tree(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// emptyTree is a connection to an empty share.
func emptyTree(t testing.TB) *smbclient.Tree {
	t.Helper()
	return connect(t, serve(t, memfs.New(), share.Options{}), shareName, smbclient.Options{})
}

// open opens what m says or fails the test.
func open(t testing.TB, tree *smbclient.Tree, m *smbwire.CreateRequest) *smbclient.File {
	t.Helper()
	f, err := tree.Create(t.Context(), m)
	if err != nil {
		t.Fatalf("CREATE of %q: %v", m.Name, err)
	}
	return f
}

// newFile makes a file of the given content.
func newFile(t testing.TB, tree *smbclient.Tree, name, content string) *smbclient.File {
	t.Helper()
	f := open(t, tree, smbclient.Making(name))
	if _, err := f.WriteAt(t.Context(), []byte(content), 0); err != nil {
		t.Fatal(err)
	}
	return f
}

// send sends one request about a tree and returns its status and, of a
// response that is not an error, the body in answer.
func send(t testing.TB, tree *smbclient.Tree, command smbwire.Command, m smbclient.Encoder, answer smbclient.Decoder) smbwire.Status {
	t.Helper()
	r, err := tree.Session().Conn().Do(t.Context(), &smbclient.Request{Command: command, Body: m, Tree: tree})
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	if answer != nil && !r.Header.Status.IsError() {
		if err := r.Decode(answer); err != nil {
			t.Fatal(err)
		}
	}
	return r.Header.Status
}

// wants fails the test unless err is the wanted status.
func wants(t testing.TB, what string, err error, want smbwire.Status) {
	t.Helper()
	got, ok := errors.AsType[smbwire.Status](err)
	if err != nil && !ok || got != want {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}
