package status_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/status"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func sample() *status.Snapshot {
	return &status.Snapshot{
		Version: "0.1.0", Name: "NAS", Process: 42, Started: noon.Add(-3*time.Hour - 4*time.Minute),
		Listening: []string{"192.0.2.1:445"},
		Discovery: &status.Discovery{Name: "NAS (2)", Host: "nas-2", Settled: true, By: []string{"mDNS", "WS-Discovery", "LLMNR"}, On: []string{"eth0", "wlan0"}},
		Memory:    status.Memory{Process: 61e6, Names: 43.21e6, Limit: 1 << 30, Most: 1 << 30, Folders: 7, FoldersLimit: 256, Collecting: 0.5, Working: 125},
		Shares: []status.Share{
			{Name: "films", Folder: "/srv/films", ReadOnly: true, Guest: "read", Opens: 1, Names: &status.Names{
				Folders: 12, Fanotify: 10, Times: 2, Indexed: 9, Names: 1_000_312, Memory: 43.21e6, Open: 7, Pinned: 10, Builds: 9, BuildTime: 0.7, Rechecks: 3, Clashes: 1}},
			{Name: "photos", Folder: "/srv/photos", Guest: "no", Refused: "its file system is not mounted"},
		},
		Sessions: []status.Session{
			{ID: "1", User: "anna", Address: "192.0.2.7:50000", Dialect: "3.1.1", Signing: "AES-GMAC", Shares: []string{"films"}, Since: noon.Add(-2 * time.Minute)},
			{ID: "2", Guest: true, Address: "192.0.2.8:50000", Dialect: "2.1", Since: noon.Add(-5 * time.Second)},
		},
		Opens: []status.Open{
			{Share: "films", Path: "a\x1b[2Jb.mkv", User: "anna", Access: "read", Oplock: "batch", Since: noon},
		},
	}
}

func TestSocketCarriesASnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if _, err := status.Ask(t.Context(), path); !errors.Is(err, status.ErrNotRunning) {
		t.Errorf("Ask where nobody is = %v", err)
	}
	// A socket left by a server that was killed is no obstacle.
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := status.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket mode = %v, %v", info.Mode(), err)
	}
	ended := make(chan struct{})
	go func() { l.Serve(status.Answers{Snapshot: sample, Reload: reloaded}); close(ended) }()
	for range 2 {
		got, err := status.Ask(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if want := sample(); !reflect.DeepEqual(got, want) {
			t.Errorf("snapshot = %+v, want %+v", got, want)
		}
	}
	if got, err := status.AskReload(t.Context(), path); err != nil || !reflect.DeepEqual(got, reloaded()) {
		t.Errorf("reload = %+v, %v", got, err)
	}
	l.Close()
	<-ended
	if _, err := status.Ask(t.Context(), path); !errors.Is(err, status.ErrNotRunning) {
		t.Errorf("Ask after Close = %v", err)
	}
}

func reloaded() *status.Reload {
	return &status.Reload{Changed: []string{"share films: added"}, Restart: []string{}, Errors: []string{}}
}

func TestWriteReload(t *testing.T) {
	tests := []struct {
		reload status.Reload
		want   string
	}{
		{status.Reload{}, "Nothing changed.\n"},
		{*reloaded(), "share films: added\n"},
		{status.Reload{Changed: []string{"a"}, Restart: []string{"b", "c"}}, "a\nNeeds a restart:\n  b\n  c\n"},
		{status.Reload{Errors: []string{"f:1: wrong", "f:2: wrong"}}, "f:1: wrong\nf:2: wrong\nNothing was changed.\n"},
	}
	for _, tt := range tests {
		var b strings.Builder
		if err := tt.reload.Write(&b); err != nil || b.String() != tt.want {
			t.Errorf("printed %q, %v; want %q", b.String(), err, tt.want)
		}
	}
}

func TestAskGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := status.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // nobody serves: Ask gets no answer
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := status.Ask(ctx, path); err == nil {
		t.Error("Ask got an answer from nobody")
	}
}

func TestListenSaysThatAPathIsTooLong(t *testing.T) {
	_, err := status.Listen("/" + strings.Repeat("a", 103))
	if err == nil || !strings.Contains(err.Error(), "--state DIR") {
		t.Errorf("Listen = %v", err)
	}
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := sample().Write(&b, noon); err != nil {
		t.Fatal(err)
	}
	want := `dozo 0.1.0 on NAS, process 42, up for 3 h 4 min
listening on 192.0.2.1:445
found as "NAS (2)" on host nas-2.local, by mDNS, WS-Discovery and LLMNR on eth0 and wlan0
memory: 61.0 MB, of which names 43.2 MB of at most 1.07 GB; 0.4 % of the work is collecting garbage

SHARE   FOLDER       ACCESS                                      OPENS
films   /srv/films   read, guests read                           1
photos  /srv/photos  not served: its file system is not mounted  0

NAMES IN  FOLDERS  SEEN BY                      NAMES    MEMORY   SINCE THE START
films     12       fanotify 10, change times 2  1000312  43.2 MB  built 9, rechecked 3, clashes 1

USER     FROM             DIALECT  SECURITY         SHARES  SINCE
anna     192.0.2.7:50000  3.1.1    signed AES-GMAC  films   2 min
(guest)  192.0.2.8:50000  2.1      open             -       5 s

OPEN        SHARE  USER  ACCESS  OPLOCK  LOCKS  SINCE
a?[2Jb.mkv  films  anna  read    batch   0      0 s
`
	if b.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", b.String(), want)
	}
}
