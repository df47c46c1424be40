// Package bench measures what a folder can do: one of this machine, or one of a
// server, which is reached through the project's own client and never through a
// mount. A measurement takes a Target, tells a Progress how far it is, and
// returns a result that can be kept as JSON and shown as tables and charts.
//
// All work is done in a folder of its own in the target, which is taken away in
// the end, whatever happened.
package bench

import (
	"context"
	"iter"
	"net"
)

// Target is a folder where things are measured. Paths are below it and have
// slashes; "" is the folder itself. Errors for a name that is missing or taken
// wrap fs.ErrNotExist and fs.ErrExist. But for Renew and Close, the methods may
// be called by any number of goroutines at once.
type Target interface {
	// Mkdir makes a folder, Create a file, to write; neither may be there.
	Mkdir(ctx context.Context, path string) error
	Create(ctx context.Context, path string) (File, error)

	// Open opens a file to read.
	Open(ctx context.Context, path string) (File, error)

	// Remove deletes a file or an empty folder.
	Remove(ctx context.Context, path string) error

	// List goes through a folder. A listing brings the sizes and times of
	// files, too, as one does that a person looks at.
	List(ctx context.Context, path string) iter.Seq2[Entry, error]

	// Space returns the room that is left.
	Space(ctx context.Context) (Space, error)

	// Renew makes the target forget what it knows, as far as that can be done
	// from here, and says how far. Open files are lost.
	Renew(ctx context.Context) (Renewal, error)

	// Link tells how the target is reached, nil for a folder of this machine.
	Link() *Link

	// Close ends the use of the target.
	Close() error
}

// File is an open file of a Target.
type File interface {
	WriteAt(ctx context.Context, p []byte, off int64) (int, error)
	Close(ctx context.Context) error
}

// Entry is one of a listing. "." and ".." are none.
type Entry struct {
	Name   string
	Folder bool
}

// Space is the room of a target: bytes, and files where their number is
// limited.
type Space struct {
	Bytes   int64
	Files   int64
	Limited bool // Files counts
}

// Renewal says what was begun anew.
type Renewal string

// What Renew can begin anew.
const (
	NothingNew Renewal = ""
	NewSession Renewal = "session"
	NewServer  Renewal = "server"
)

// Link is a connection to a server.
type Link struct {
	Words         string   // "SMB 3.1.1, signed with AES-128-GMAC"
	Local, Remote net.Addr // the two ends
}
