package status_test

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/status"
)

// TestWrite compares what people see with testdata, as wide as it comes and on
// the narrow terminal that everything is to fit on.
func TestWrite(t *testing.T) {
	for name, width := range map[string]int{"wide": 0, "narrow": 80} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := sample().Write(&b, width); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
			}
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
					t.Errorf("a line of %d letters: %s", n, line)
				}
			}
		})
	}
}

func TestWriteOfAnIdleServer(t *testing.T) {
	s := &status.Snapshot{Time: noon, Version: "0.1.0", Name: "NAS", Process: 42, Started: noon, Listening: []string{"[::]:445"},
		Shares: []status.Share{{Name: "films", Folder: "/srv/films", Guest: "no"}}}
	var b strings.Builder
	if err := s.Write(&b, 80); err != nil {
		t.Fatal(err)
	}
	want := `dozo 0.1.0 on NAS, process 42, up for 0 s
listening on [::]:445
memory: 0 kB, of which names 0 kB of at most 0 kB

SHARE  FOLDER      ACCESS          OPENS
films  /srv/films  read and write      0
`
	if b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
}

func TestLine(t *testing.T) {
	before, now := sample(), sample()
	before.Time = noon.Add(-2 * time.Second)
	before.Shares[0].Load.Requests -= 1624
	before.Shares[0].Load.Read -= 162.4e6
	before.Shares[1].Load.Requests = 5 // and has none now: it is another share
	want := "2026-11-30T12:00:00Z, 812 requests/s, 81.2 MB/s read, 0 kB/s written, 3 sessions, 2 opens, 3 waiting"
	if got := now.Line(before); got != want {
		t.Errorf("line %q, want %q", got, want)
	}
	want = "2026-11-30T12:00:00Z, 0 requests/s, 0 kB/s read, 0 kB/s written, 3 sessions, 2 opens, 3 waiting"
	if got := now.Line(now); got != want {
		t.Errorf("the first line is %q, want %q", got, want)
	}
}

func TestParseID(t *testing.T) {
	for _, tt := range []struct {
		text string
		want status.ID
	}{
		{"3", status.ID{Session: 3}},
		{"3.17", status.ID{Session: 3, Open: 17}},
		{text: ""}, {text: "0"}, {text: "3."}, {text: ".17"}, {text: "3.0"}, {text: "-1"}, {text: "3.17.1"}, {text: "anna"}, {text: "3 17"},
		{text: "18446744073709551616"},
	} {
		got, err := status.ParseID(tt.text)
		if got != tt.want || (err != nil) != (tt.want == status.ID{}) {
			t.Errorf("%q: %v, %v", tt.text, got, err)
		}
		if err == nil && got.String() != tt.text {
			t.Errorf("%q is written as %q", tt.text, got)
		}
		if err != nil && !strings.Contains(err.Error(), "dozo status") {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}
