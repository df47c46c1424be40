// Package status says what a server does at this moment. One struct, the
// Snapshot, is what every view shows: the command line, its JSON, and pages.
package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Snapshot is what a server does at one moment. Its lists are in a fixed
// order, so that two of them can be compared.
type Snapshot struct {
	Time      time.Time  `json:"time"`
	Version   string     `json:"version"`
	Name      string     `json:"name"` // the server's, as clients see it
	Process   int        `json:"process"`
	Started   time.Time  `json:"started"`
	Listening []string   `json:"listening"`           // addresses with ports
	Discovery *Discovery `json:"discovery,omitempty"` // nil where nothing is announced
	Memory    Memory     `json:"memory"`
	Shares    []Share    `json:"shares"`
	Sessions  []Session  `json:"sessions"`
	Opens     []Open     `json:"opens"`
	Waits     []Wait     `json:"waits"` // the longest first
}

// Share is one share of the server.
type Share struct {
	Name     string `json:"name"`
	Folder   string `json:"folder"` // empty when it is no folder of this machine
	ReadOnly bool   `json:"read_only"`
	Guest    string `json:"guest"` // "no", "read" or "write"
	Encrypt  bool   `json:"encrypt"`
	// Refused says why the share is not served now, empty when it is.
	Refused string `json:"refused,omitempty"`
	// FileSystem identifies the file system that the folder is on, empty
	// where it has no lasting identity.
	FileSystem string `json:"file_system,omitempty"`
	Opens      int    `json:"opens"`
	Load       Load   `json:"load"`
	// Names is nil where the share is no folder, or was never served.
	Names *Names `json:"names,omitempty"`
}

// Session is one login.
type Session struct {
	ID        string    `json:"id"`   // for ParseID; never given twice while the server runs
	User      string    `json:"user"` // empty for a guest
	Guest     bool      `json:"guest"`
	Address   string    `json:"address"`          // of the client
	Client    string    `json:"client,omitempty"` // what it calls itself
	System    string    `json:"system,omitempty"` // what it says of its system
	Dialect   string    `json:"dialect"`          // "3.1.1"
	Signing   string    `json:"signing"`          // algorithm, empty when the last request was encrypted, or not signed
	Encrypted string    `json:"encrypted"`        // cipher, empty when the last request was not encrypted
	Shares    []string  `json:"shares"`           // connected ones
	Opens     int       `json:"opens"`            // with pipes
	Since     time.Time `json:"since"`
	Used      time.Time `json:"last_request"`
}

// Open is one open file or folder.
type Open struct {
	ID      string `json:"id"`      // for ParseID
	Session string `json:"session"` // its id
	Share   string `json:"share"`
	Path    string `json:"path"` // below the share, "" for its root
	User    string `json:"user"` // empty for a guest
	Address string `json:"address,omitempty"`

	// What the open may do, and what it lets others do: of "read", "write" and
	// "delete". With no access it only looks at attributes.
	Access []string `json:"access"`
	Others []string `json:"others"`

	Oplock   string    `json:"oplock,omitempty"`   // "level II", "exclusive" or "batch"
	Breaking bool      `json:"breaking,omitempty"` // and the client was told to give that up
	Locks    int       `json:"locks"`              // byte ranges held
	Ranges   []Range   `json:"ranges,omitempty"`   // of these, 64 at most
	Delete   bool      `json:"delete_on_close"`    // the file goes with its last close
	Since    time.Time `json:"since"`
}

// Range is a range of bytes of a file.
type Range struct {
	Offset    uint64 `json:"offset"`
	Length    uint64 `json:"length"`
	Exclusive bool   `json:"exclusive"`
}

// words tells the bytes: "0-99", "from 100".
func (r Range) words() string {
	switch last := r.Offset + r.Length - 1; {
	case r.Length == 0:
		return fmt.Sprintf("before %d", r.Offset)
	case last >= 1<<62:
		return fmt.Sprintf("from %d", r.Offset)
	case r.Length == 1:
		return fmt.Sprint(r.Offset)
	default:
		return fmt.Sprintf("%d-%d", r.Offset, last)
	}
}

func (r Range) kind() string {
	if r.Exclusive {
		return "exclusive"
	}
	return "shared"
}

// Wait is a request that waits for what others do.
type Wait struct {
	Session string `json:"session"` // its id
	User    string `json:"user"`    // empty for a guest
	Share   string `json:"share"`
	Path    string `json:"path"`
	Open    string `json:"open,omitempty"` // id of the open that it is about, empty for one that is not made yet
	Wants   string `json:"wants"`          // "open", "lock", "rename" and so on
	Range   *Range `json:"range,omitempty"`

	// For is what is in the way: "lock", "oplock", or "name" for one that is
	// being changed.
	For   string    `json:"for"`
	By    []Blocker `json:"by"` // whose that is, 16 at most
	Since time.Time `json:"since"`
}

// Blocker is an open that another one waits for.
type Blocker struct {
	Open    string `json:"open"` // its id
	User    string `json:"user"` // empty for a guest
	Address string `json:"address"`
}

// ID names a session, or with Open also a file that it has open.
type ID struct{ Session, Open uint64 }

// ParseID reads what String makes.
func ParseID(s string) (ID, error) {
	session, open, isOpen := strings.Cut(s, ".")
	var id ID
	var err error
	if id.Session, err = strconv.ParseUint(session, 10, 64); err == nil && isOpen {
		id.Open, err = strconv.ParseUint(open, 10, 64)
	}
	if err != nil || id.Session == 0 || isOpen && id.Open == 0 {
		return ID{}, fmt.Errorf("%q is the id of no session and no open; those are like 3 and 3.17, and dozo status shows them", s)
	}
	return id, nil
}

// String is the id as it is shown: "3", or "3.17" for an open of that session.
func (id ID) String() string {
	if id.Open == 0 {
		return strconv.FormatUint(id.Session, 10)
	}
	return fmt.Sprintf("%d.%d", id.Session, id.Open)
}
