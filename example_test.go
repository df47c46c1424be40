package dozo_test

import (
	"context"
	"io"
	"log"
	"net"
	"os"

	"github.com/cloudsoda/go-smb2"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// oneUser is a list of users with a single entry, for a program that has its
// own idea of who may log in.
type oneUser struct{ auth.Record }

func (u oneUser) Lookup(name string) (auth.Record, error) {
	if !auth.SameName(name, u.Name) {
		return auth.Record{}, auth.ErrUnknownUser
	}
	return u.Record, nil
}

func (u oneUser) Identity(r auth.Record) (*auth.Identity, error) {
	return &auth.Identity{User: r.Name}, nil
}

// A program serves a tree of its own, here one in memory, and a client works
// with it.
func ExampleServer() {
	anna, err := auth.NewRecord("anna", "Secret77")
	if err != nil {
		log.Fatal(err)
	}
	srv := &dozo.Server{
		Shares: []dozo.Share{{Name: "films", FS: memfs.New()}},
		Users:  oneUser{anna},
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error)
	go func() { done <- srv.Serve(ctx, l) }()

	session, err := (&smb2.Dialer{Initiator: &smb2.NTLMInitiator{User: "anna", Password: "Secret77"}}).Dial(ctx, l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	films, err := session.Mount("films")
	if err != nil {
		log.Fatal(err)
	}
	films.WriteFile("Metropolis.txt", []byte("1927"), 0o644)
	f, err := films.Open("METROPOLIS.TXT")
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(os.Stdout, f)

	stop()
	if err := <-done; err != nil {
		log.Fatal(err)
	}
	// Output: 1927
}
