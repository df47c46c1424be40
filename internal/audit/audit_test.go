package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 30, 19, 4, 11, 312_900_000, time.FixedZone("", 3600))

func TestLines(t *testing.T) {
	address := netip.MustParseAddr("::ffff:192.0.2.7")
	for _, tt := range []struct {
		e    Event
		want string
	}{
		{Event{Operation: Delete, User: "anna", Address: address, Share: "films", Path: "a/b"},
			`{"time":"2026-11-30T18:04:11.312Z","operation":"delete","user":"anna","address":"192.0.2.7","share":"films","path":"a/b","result":"ok"}`},
		{Event{Operation: Logon, Result: "no \"such\"\nuser"},
			`{"time":"2026-11-30T18:04:11.312Z","operation":"logon","user":"","result":"no \"such\"\u000auser"}`},
		{Event{Operation: Rename, Path: "a", To: "b", Replaced: true},
			`{"time":"2026-11-30T18:04:11.312Z","operation":"rename","user":"","path":"a","to":"b","replaced":true,"result":"ok"}`},
		{Event{Operation: Rename, User: "ä", Path: "\xed\xa0\x80\\", To: "\xff\u2028\u0085é😀"},
			`{"time":"2026-11-30T18:04:11.312Z","operation":"rename","user":"ä","path":"\ud800\\","to":"\ufffd\u2028\u0085é😀","result":"ok"}`},
		{Event{Operation: lost, count: 7}, `{"time":"2026-11-30T18:04:11.312Z","operation":"lost","count":7}`},
	} {
		tt.e.Time = at
		got := string(appendLine(nil, &tt.e))
		if got != tt.want+"\n" || !json.Valid([]byte(got)) {
			t.Errorf("got  %swant %s", got, tt.want)
		}
	}
}

// FuzzLine: whatever bytes names have, it is one line, which is JSON, and names
// that are UTF-8 come back.
func FuzzLine(f *testing.F) {
	f.Add("a\x00\n\"\\", "\xed\xa0\x80\xed\xb0\x80\xff")
	f.Fuzz(func(t *testing.T, path, to string) {
		line := appendLine(nil, &Event{Operation: Rename, Path: path, To: to})
		var back struct{ Path, To string }
		if bytes.Count(line, []byte("\n")) != 1 || json.Unmarshal(line, &back) != nil {
			t.Fatalf("%q", line)
		}
		if strings.ToValidUTF8(path, "") == path && back.Path != path {
			t.Errorf("%q came back as %q", path, back.Path)
		}
	})
}

// sink is a writer that can be held up, and can fail.
type sink struct {
	mu   sync.Mutex
	text bytes.Buffer
	err  error
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	return s.text.Write(p)
}

// TestASlowDiskHoldsNobodyUp: what finds no room is lost, which is told; all the
// rest is there, in its order.
func TestASlowDiskHoldsNobodyUp(t *testing.T) {
	out := &sink{}
	l := New(out, func(err error) { t.Error(err) })
	out.mu.Lock() // the disk hangs
	const all = 3 * waiting
	for i := range all {
		l.Note(Event{Operation: Create, User: strings.Repeat("x", i%3)})
	}
	out.mu.Unlock()
	l.Close()
	kept, missing := 0, 0
	for line := range strings.Lines(out.text.String()) {
		var e struct {
			Operation string
			Count     int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if missing += e.Count; e.Operation == "create" {
			kept++
		}
	}
	if kept < waiting || kept+missing != all || missing == 0 {
		t.Errorf("%d are there and %d are told to be lost, of %d", kept, missing, all)
	}
}

// TestAFullDiskLosesNoCount: what a disk did not take is told as soon as it takes
// something again.
func TestAFullDiskLosesNoCount(t *testing.T) {
	out := &sink{err: errors.New("full")}
	failed := make(chan error, 1)
	l := New(out, func(err error) { failed <- err })
	for range 100 {
		l.Note(Event{Operation: Create})
	}
	<-failed
	out.mu.Lock()
	out.err = nil
	out.mu.Unlock()
	l.Note(Event{Operation: Delete})
	l.Note(Event{Operation: Delete})
	l.Close()
	there, missing := 0, 0
	for line := range strings.Lines(out.text.String()) {
		var e struct{ Count int }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if missing += e.Count; e.Count == 0 {
			there++
		}
	}
	if there+missing != 102 || missing == 0 {
		t.Errorf("%d lines are there and %d are told to be lost, of 102", there, missing)
	}
}

func TestAFailureIsToldOnce(t *testing.T) {
	out := &sink{err: errors.New("full")}
	told := 0
	l := New(out, func(error) { told++ })
	for range 100 {
		l.Note(Event{Operation: Create})
	}
	l.Close()
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	var none *Log
	none.Note(Event{}) // does nothing
}

// TestAnotherOutput: each line is in the one that counted when it was noted.
func TestAnotherOutput(t *testing.T) {
	first, second := &sink{}, &sink{}
	l := New(nil, func(err error) { t.Error(err) })
	note := func(on bool, user string) {
		t.Helper()
		if l.On() != on {
			t.Errorf("before %s: on is %v", user, !on)
		}
		l.Note(Event{Operation: Create, User: user})
	}
	note(false, "nobody")
	l.SetOutput(first)
	note(true, "a")
	note(true, "b")
	l.SetOutput(second)
	if got := first.text.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"b"`) {
		t.Errorf("the first has %s", got)
	}
	note(true, "c")
	l.SetOutput(nil)
	note(false, "d")
	l.SetOutput(second)
	note(true, "e")
	l.Close()
	l.SetOutput(first) // waits for nobody
	got := second.text.String()
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, `"c"`) || !strings.Contains(got, `"e"`) || strings.Count(first.text.String(), "\n") != 2 {
		t.Errorf("the second has %s", got)
	}
}

func BenchmarkNote(b *testing.B) {
	l := New(&sink{}, func(error) {})
	defer l.Close()
	e := Event{Operation: Write, User: "anna", Share: "films", Path: "a/b/c", Time: at}
	for b.Loop() {
		l.Note(e)
	}
}
