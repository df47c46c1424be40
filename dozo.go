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
package dozo
