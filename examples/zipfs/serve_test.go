package zipfs_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"testing"

	"github.com/cloudsoda/go-smb2"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
)

// TestServed works with an archive as a client of a server does.
func TestServed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, pack(t, "Films/Metropolis.txt", "1927", "Films/M.txt", "1931"))
	srv := &dozo.Server{Shares: []dozo.Share{{Name: "archive", FS: s}}, Users: auth.Passwords{"anna": "Secret77"}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()

	session, err := (&smb2.Dialer{Initiator: &smb2.NTLMInitiator{User: "anna", Password: "Secret77"}}).Dial(ctx, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Logoff()
	share, err := session.Mount("archive")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := share.ReadDir("films")
	if err != nil || len(entries) != 2 || entries[0].Name() != "M.txt" && entries[1].Name() != "M.txt" {
		t.Errorf("ReadDir = %v, %v", entries, err)
	}
	if data, err := share.ReadFile("FILMS/metropolis.TXT"); err != nil || string(data) != "1927" {
		t.Errorf("ReadFile = %q, %v", data, err)
	}
	for what, err := range map[string]error{
		"write":  share.WriteFile("new.txt", nil, 0o644),
		"mkdir":  share.Mkdir("new", 0o755),
		"remove": share.Remove(`Films\M.txt`),
		"rename": share.Rename(`Films\M.txt`, `Films\N.txt`),
	} {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s = %v, want a refusal", what, err)
		}
	}
}
