package dozo_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"

	"github.com/cloudsoda/go-smb2"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/examples/zipfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// A program serves a tree of its own, here one in memory. With
// srv.ListenAndServe(ctx) in place of work it would serve the network.
func ExampleServer() {
	srv := &dozo.Server{
		Shares: []dozo.Share{{Name: "films", FS: memfs.New()}},
		Users:  auth.Passwords{"anna": "Secret77"},
	}
	work(srv, func(films *smb2.Share) {
		fmt.Println(films.WriteFile("Metropolis.txt", []byte("1927"), 0o644))
		text, err := films.ReadFile("METROPOLIS.TXT")
		fmt.Println(string(text), err)
	})
	// Output:
	// <nil>
	// 1927 <nil>
}

// A folder of the machine is served with all that a folder has: what local
// programs change is seen by the next request.
func ExampleServer_folder() {
	dir, err := os.MkdirTemp("", "films")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	srv := &dozo.Server{
		Shares: []dozo.Share{{Name: "films", Path: dir, ReadOnly: true}},
		Users:  auth.Passwords{"anna": "Secret77"},
	}
	if err := os.WriteFile(filepath.Join(dir, "Metropolis.txt"), []byte("1927"), 0o644); err != nil {
		log.Fatal(err)
	}
	work(srv, func(films *smb2.Share) {
		text, err := films.ReadFile("metropolis.txt")
		fmt.Println(string(text), err)
		fmt.Println(films.WriteFile("M.txt", []byte("1931"), 0o644) != nil)
	})
	// Output:
	// 1927 <nil>
	// true
}

// An archive is served as it is. Package zipfs shows what a vfs.FS has to do.
func ExampleServer_archive() {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	f, err := w.Create("Films/Metropolis.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(f, "1927")
	w.Close()
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		log.Fatal(err)
	}
	srv := &dozo.Server{
		Shares: []dozo.Share{{Name: "archive", FS: zipfs.New(archive, "Archive")}},
		Users:  auth.Passwords{"anna": "Secret77"},
	}
	work(srv, func(share *smb2.Share) {
		text, err := share.ReadFile("films/metropolis.txt")
		fmt.Println(string(text), err)
		fmt.Println(share.Remove("films/metropolis.txt") != nil)
	})
	// Output:
	// 1927 <nil>
	// true
}

// work serves on this machine alone and has a client work with the first share,
// as anna.
func work(srv *dozo.Server, client func(*smb2.Share)) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- srv.Serve(ctx, l) }()

	login := &smb2.NTLMInitiator{User: "anna", Password: "Secret77"}
	session, err := (&smb2.Dialer{Initiator: login}).Dial(ctx, l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	share, err := session.Mount(srv.Shares[0].Name)
	if err != nil {
		log.Fatal(err)
	}
	client(share)
	stop()
	if err := <-done; err != nil {
		log.Fatal(err)
	}
}
