package status

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// How much of long lists is shown to people.
const (
	shownFolders = 5
	shownLocks   = 50
)

// Write prints the snapshot for people, no wider than width where names can be
// shortened; 0 is any width.
func (s *Snapshot) Write(w io.Writer, width int) error {
	var out strings.Builder
	s.head(&out, width)
	for _, part := range []func() *table{s.shares, s.names, s.load, s.folders, s.sessions, s.waits, s.opens, s.locks} {
		part().write(&out, width)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (s *Snapshot) head(out *strings.Builder, width int) {
	say := func(format string, args ...any) { out.WriteString(folded(fmt.Sprintf(format, args...), width)) }
	say("dozo %s on %s, process %d, up for %s", s.Version, s.Name, s.Process, s.since(s.Started))
	say("listening on %s", strings.Join(s.Listening, ", "))
	if s.Discovery != nil {
		say("found %s", s.Discovery.words())
	}
	say("memory: %s", s.Memory.words())
	if n := s.Memory.Descriptors; n > 0 {
		say("descriptors: %d of at most %d", n, s.Memory.DescriptorsLimit)
	}
}

// since is the time that has passed, in words.
func (s *Snapshot) since(t time.Time) string { return duration(s.Time.Sub(t)) }

func (s *Snapshot) shares() *table {
	t := &table{columns: []column{{"SHARE", path}, {"FOLDER", path}, {"ACCESS", words}, {"OPENS", right}}}
	for _, h := range s.Shares {
		t.row(h.Name, or(h.Folder, "-"), h.access(), fmt.Sprint(h.Opens))
	}
	return t
}

func (s *Snapshot) names() *table {
	t := &table{columns: []column{{"NAMES IN", path}, {"FOLDERS", right}, {"SEEN BY", words}, {"NAMES", right}, {"MEMORY", right}, {"SINCE THE START", words}}}
	for _, h := range s.Shares {
		if n := h.Names; n != nil {
			t.row(h.Name, fmt.Sprint(n.Folders+n.Packed), n.seenBy(), fmt.Sprint(n.Names), size(n.Memory), n.history())
		}
	}
	return t
}

// load tells what was asked of the shares, each kind on a line of its own.
func (s *Snapshot) load() *table {
	t := &table{columns: []column{{"LAST MINUTE", path}, {"PER SECOND", right}, {"MEDIAN", right}, {"99 %", right}, {"READ/S", right}, {"WRITTEN/S", right}}}
	for _, h := range s.Shares {
		m := &h.Load.Minute
		n := m.requests()
		if n == 0 {
			continue
		}
		t.row(h.Name, rate(m.perSecond(n)), "", "", size(int64(m.perSecond(m.Read))), size(int64(m.perSecond(m.Written))))
		for _, k := range m.Kinds {
			t.row(gap+k.Kind, rate(m.perSecond(k.Requests)), latency(k.Median), latency(k.Most), "", "")
		}
	}
	return t
}

// folders tells which are used most, of all shares.
func (s *Snapshot) folders() *table {
	type folder struct {
		Folder
		share string
	}
	var all []folder
	for _, h := range s.Shares {
		for _, f := range h.Load.Minute.Folders {
			all = append(all, folder{f, h.Name})
		}
	}
	slices.SortStableFunc(all, func(a, b folder) int { return cmp.Compare(b.Requests, a.Requests) })
	t := &table{columns: []column{{"BUSY FOLDERS", path}, {"SHARE", path}, {"REQUESTS", right}}}
	for _, f := range all[:min(len(all), shownFolders)] {
		t.row(file(f.Path), f.share, fmt.Sprint(f.Requests))
	}
	return t
}

func (s *Snapshot) sessions() *table {
	t := &table{columns: []column{{"SESSION", right}, {"USER", path}, {"FROM", left}, {"CLIENT", words}, {"DIALECT", left}, {"SECURITY", words}, {"SHARES", path}, {"IDLE", right}}}
	for _, l := range s.Sessions {
		t.row(l.ID, user(l.User), l.Address, l.client(), l.Dialect, l.security(), or(strings.Join(l.Shares, ", "), "-"), s.since(l.Used))
	}
	return t
}

func (s *Snapshot) opens() *table {
	t := &table{columns: []column{{"OPEN", right}, {"FILE", path}, {"SHARE", path}, {"USER", path}, {"MAY", left}, {"OTHERS", left}, {"OPLOCK", left}, {"LOCKS", right}, {"SINCE", right}}}
	deleting := slices.ContainsFunc(s.Opens, func(o Open) bool { return o.Delete })
	if deleting {
		t.columns = append(t.columns, column{"AT CLOSE", left})
	}
	for _, o := range s.Opens {
		oplock := or(o.Oplock, "-")
		if o.Breaking {
			oplock += "!"
		}
		cells := []string{o.ID, file(o.Path), o.Share, user(o.User), letters(o.Access), letters(o.Others), oplock, fmt.Sprint(o.Locks), s.since(o.Since)}
		switch {
		case o.Delete:
			cells = append(cells, "deleted")
		case deleting:
			cells = append(cells, "-")
		}
		t.row(cells...)
	}
	return t
}

func (s *Snapshot) locks() *table {
	t := &table{columns: []column{{"LOCK OF", right}, {"BYTES", left}, {"KIND", left}, {"FILE", path}, {"SHARE", path}, {"USER", path}}}
	for _, o := range s.Opens {
		for _, r := range o.Ranges {
			if len(t.rows) == shownLocks {
				t.row("", "and more, which --json tells", "", "", "", "")
				return t
			}
			t.row(o.ID, r.words(), r.kind(), file(o.Path), o.Share, user(o.User))
		}
	}
	return t
}

func (s *Snapshot) waits() *table {
	t := &table{columns: []column{{"WAITS", right}, {"USER", path}, {"TO", words}, {"FILE", path}, {"SHARE", path}, {"FOR", words}, {"SINCE", right}}}
	for _, w := range s.Waits {
		wants := w.Wants
		if w.Range != nil {
			wants += " " + w.Range.words()
		}
		t.row(or(w.Open, w.Session), user(w.User), wants, file(w.Path), w.Share, w.blockers(), s.since(w.Since))
	}
	return t
}

// blockers tells whom a request waits for: "lock of anna (3.17)".
func (w *Wait) blockers() string {
	if w.For == "name" {
		return "a change of its name"
	}
	words := w.For
	if len(w.By) > 0 {
		words += fmt.Sprintf(" of %s (%s)", user(w.By[0].User), w.By[0].Open)
	}
	if n := len(w.By) - 1; n > 0 {
		words += fmt.Sprintf(" and %d more", n)
	}
	return words
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

func (l *Session) client() string {
	if l.Client != "" && l.System != "" {
		return l.Client + ", " + l.System
	}
	return or(l.Client+l.System, "-")
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

func user(name string) string { return or(name, "(guest)") }

func file(path string) string { return or(path, "(the share itself)") }

// letters are the first ones of words: "rwd".
func letters(words []string) string {
	s := ""
	for _, w := range words {
		s += w[:1]
	}
	return or(s, "-")
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
