// Package status says what a server does at this moment. One struct, the
// Snapshot, is what every view shows: the command line, its JSON, and pages.
package status

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Snapshot is what a server does at one moment. Its lists are in a fixed
// order, so that two of them can be compared.
type Snapshot struct {
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
	// Names is nil where the share is no folder, or was never served.
	Names *Names `json:"names,omitempty"`
}

// Session is one login.
type Session struct {
	ID        string    `json:"id"`
	User      string    `json:"user"` // empty for a guest
	Guest     bool      `json:"guest"`
	Address   string    `json:"address"` // of the client
	Dialect   string    `json:"dialect"` // "3.1.1"
	Signing   string    `json:"signing"` // algorithm, empty when not signed
	Encrypted string    `json:"encrypted"`
	Shares    []string  `json:"shares"` // connected ones
	Since     time.Time `json:"since"`
}

// Open is one open file or folder.
type Open struct {
	Share   string    `json:"share"`
	Path    string    `json:"path"` // below the share, "" for its root
	User    string    `json:"user"`
	Address string    `json:"address,omitempty"`
	Access  string    `json:"access"` // "read", "write", "read, write", "attributes"
	Oplock  string    `json:"oplock,omitempty"`
	Locks   int       `json:"locks"` // byte ranges held
	Since   time.Time `json:"since"`
}

// Write prints the snapshot for people; now is the time to reckon from.
func (s *Snapshot) Write(w io.Writer, now time.Time) error {
	fmt.Fprintf(w, "dozo %s on %s, process %d, up for %s\n", s.Version, s.Name, s.Process, duration(now.Sub(s.Started)))
	fmt.Fprintf(w, "listening on %s\n", strings.Join(s.Listening, ", "))
	if s.Discovery != nil {
		fmt.Fprintf(w, "found %s\n", s.Discovery.words())
	}
	fmt.Fprintf(w, "memory: %s\n", s.Memory.words())

	shares := table(w, "SHARE", "FOLDER", "ACCESS", "OPENS")
	for _, h := range s.Shares {
		shares.row(h.Name, or(h.Folder, "-"), h.access(), fmt.Sprint(h.Opens))
	}
	shares.end()

	names := table(w, "NAMES IN", "FOLDERS", "SEEN BY", "NAMES", "MEMORY", "SINCE THE START")
	for _, h := range s.Shares {
		if n := h.Names; n != nil {
			names.row(h.Name, fmt.Sprint(n.Folders+n.Packed), n.seenBy(), fmt.Sprint(n.Names), size(n.Memory), n.history())
		}
	}
	names.end()

	sessions := table(w, "USER", "FROM", "DIALECT", "SECURITY", "SHARES", "SINCE")
	for _, l := range s.Sessions {
		sessions.row(or(l.User, "(guest)"), l.Address, l.Dialect, l.security(), or(strings.Join(l.Shares, ", "), "-"), duration(now.Sub(l.Since)))
	}
	sessions.end()

	opens := table(w, "OPEN", "SHARE", "USER", "ACCESS", "OPLOCK", "LOCKS", "SINCE")
	for _, o := range s.Opens {
		opens.row(or(o.Path, "(the share itself)"), o.Share, or(o.User, "(guest)"), o.Access, or(o.Oplock, "-"), fmt.Sprint(o.Locks), duration(now.Sub(o.Since)))
	}
	return opens.end()
}

func (h *Share) access() string {
	if h.Refused != "" {
		return "not served: " + h.Refused
	}
	words := "read and write"
	if h.ReadOnly {
		words = "read"
	}
	if h.Guest != "no" {
		words += ", guests " + h.Guest
	}
	if h.Encrypt {
		words += ", encrypted"
	}
	return words
}

func (l *Session) security() string {
	switch {
	case l.Encrypted != "":
		return "encrypted " + l.Encrypted
	case l.Signing != "":
		return "signed " + l.Signing
	}
	return "open"
}

// tableWriter prints aligned columns, and nothing at all without a row.
type tableWriter struct {
	out    *tabwriter.Writer
	header []string
	rows   int
}

func table(w io.Writer, header ...string) *tableWriter {
	return &tableWriter{out: tabwriter.NewWriter(w, 0, 8, 2, ' ', 0), header: header}
}

func (t *tableWriter) row(cells ...string) {
	if t.rows == 0 {
		fmt.Fprintf(t.out, "\n%s\n", strings.Join(t.header, "\t"))
	}
	t.rows++
	for i, c := range cells {
		cells[i] = printable(c)
	}
	fmt.Fprintln(t.out, strings.Join(cells, "\t"))
}

func (t *tableWriter) end() error { return t.out.Flush() }

// printable keeps a name that a client made from doing more to a terminal
// than being read.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || 0x7f <= r && r < 0xa0 || r == '\u2028' || r == '\u202e' {
			return '?'
		}
		return r
	}, s)
}

// duration is a time span to two units at most: "3 s", "2 min", "5 h 12 min".
func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
