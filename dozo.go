// Package dozo is a file server for programs that embed one: folders, or any
// other tree of files, served over SMB 2 and 3.
//
//	users := auth.Passwords{"anna": "Secret77"}
//	srv := &dozo.Server{Shares: []dozo.Share{{Name: "films", Path: "/srv/films"}}, Users: users}
//	err := srv.ListenAndServe(ctx)
//
// A Server is a struct of options whose zero values work; each field says what
// zero means. The package wires the parts together and decides nothing itself:
// what a share allows is decided in internal/share, what a message means in
// the package of its protocol.
//
// # The life of a Server
//
// The options are read when Serve or ListenAndServe begins, and belong to the
// Server from then on. Serve opens the shares, calls Ready when every listener
// accepts, and returns when ctx ends, Shutdown is called or a listener fails; by
// then requests that had arrived were answered, what clients had open was closed,
// and no goroutine is left. It serves once: for another run make another Server.
// While it runs the methods that begin with Set change what they name, Snapshot
// tells what it does, and CheckUsers ends the sessions of users who were taken
// away; other changes of users count from the next login on. These methods and
// Shutdown may be called by several goroutines at once.
//
// A Server logs to Log and prints nothing, and handles no signal. Several Servers
// may run in one process.
//
// # A tree of the program's own
//
// A Share has a Path, or an FS: anything that keeps the contract of package vfs,
// such as one in memory (vfs/memfs), an archive (examples/zipfs), or a database.
// Locks, share modes, oplocks and notices of changes are the Server's work, the
// same for all of them. The Server closes no FS.
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
