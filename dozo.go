// Package dozo is a file server for programs that embed one: folders, or any
// other tree of files, served over SMB 2 and 3.
//
//	srv := &dozo.Server{
//		Shares: []dozo.Share{{Name: "films", Path: "/srv/films"}},
//		Users:  users,
//	}
//	err := srv.ListenAndServe(ctx)
//
// A Server is a struct of options whose zero values work; each field says what
// zero means. The package wires the parts together and decides nothing itself:
// what a share allows is decided in internal/share, what a message means in
// the package of its protocol.
//
// # What a program must leave to the Server
//
// A Server keeps the names of served folders in memory. The system tells it what
// other processes change in them, in time for the next answer; what the system
// says of its own process it drops, for it has noted what it did. So a program
// that embeds it must not make, rename, link or remove anything in a served
// folder by itself, with package os for one: as long as the Server runs, clients
// might find what is gone, miss what is there, or make another spelling of it.
// For the same reason two Servers of one process must not serve folders that are
// one, or of which one is inside the other; two shares of one Server can't.
//
// A program may have another process do it, such as cp; do it as a client does,
// over a connection; read everything, and write into files that are there; and
// serve a tree of its own, a vfs.FS, which changes in whatever way that allows.
package dozo
