package bench_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/bench"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// serve serves a folder to anna, whose password is Secret77, and returns the
// path of its share.
func serve(t *testing.T, folder string) smbclient.Path {
	t.Helper()
	users := auth.NewStore(filepath.Join(t.TempDir(), "users.json"))
	record, err := auth.NewRecord("anna", "Secret77")
	if err != nil {
		t.Fatal(err)
	}
	if err := users.Add(record); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &dozo.Server{Users: users, Shares: []dozo.Share{{Name: "films", Path: folder}}}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(t.Context(), l) }()
	t.Cleanup(func() { <-done }) // the context has ended by then
	p, err := smbclient.ParsePath("smb://anna@" + l.Addr().String() + "/films/below")
	if err != nil {
		t.Fatal(err)
	}
	p.Login.Password = "Secret77"
	return p
}

func TestNamesOverSMB(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	path := serve(t, dir)
	for _, tt := range []struct {
		options smbclient.Options
		link    string
	}{
		{smbclient.Options{}, "SMB 3.1.1, signed with AES-128-GMAC"},
		{smbclient.Options{Encrypt: true}, "SMB 3.1.1, encrypted with AES-128-GCM"},
	} {
		target, err := bench.DialSMB(t.Context(), path, tt.options)
		if err != nil {
			t.Fatal(err)
		}
		r, err := small(t, target).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		target.Close()
		complete(t, r)
		empty(t, below)
		if r.Link != tt.link || r.First != bench.NewSession {
			t.Errorf("link %q, first of a %q", r.Link, r.First)
		}
		if found := r.Sizes[1].OtherCase.Absent == 0; !found {
			t.Error("names are not found in another case")
		}
		// The server is this very process.
		if s := r.Sizes[1]; runtime.GOOS == "linux" && (r.IdleMemory <= 0 || s.Memory <= 0 || s.CreateCPU <= 0) {
			t.Errorf("memory %d, then %d, CPU for a create %v", r.IdleMemory, s.Memory, s.CreateCPU)
		}
	}
}

func TestDialSMBSaysWhatToDo(t *testing.T) {
	good := serve(t, t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().(*net.TCPAddr)
	l.Close()
	for _, tt := range []struct {
		name   string
		change func(*smbclient.Path)
		want   string
	}{
		{"no folder", func(*smbclient.Path) {}, "the share films has no folder below; make it first"},
		{"wrong password", func(p *smbclient.Path) { p.Login.Password = "x" }, `does not know the user "anna" with this password`},
		{"no share", func(p *smbclient.Path) { p.Share = "" }, "names no share; write smb://anna@"},
		{"another share", func(p *smbclient.Path) { p.Share = "music" }, "has no share music"},
		{"nobody there", func(p *smbclient.Path) { p.Port = strings.Split(closed.String(), ":")[1] }, "nobody listens at"},
	} {
		p := good
		tt.change(&p)
		if _, err := bench.DialSMB(t.Context(), p, smbclient.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: DialSMB = %v, want %q", tt.name, err, tt.want)
		}
	}
}
