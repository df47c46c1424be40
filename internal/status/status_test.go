package status_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/status"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func sample() *status.Snapshot {
	return &status.Snapshot{
		Time: noon, Version: "0.1.0", Name: "NAS", Process: 42, Started: noon.Add(-3*time.Hour - 4*time.Minute),
		Listening: []string{"192.0.2.1:445"},
		Discovery: &status.Discovery{Name: "NAS (2)", Host: "nas-2", Settled: true, By: []string{"mDNS", "WS-Discovery", "LLMNR"}, On: []string{"eth0", "wlan0"}},
		Memory: status.Memory{Process: 61e6, Names: 43.21e6, Limit: 1 << 30, Most: 1 << 30, Folders: 7, FoldersLimit: 256,
			Descriptors: 57, DescriptorsLimit: 524_288, Goroutines: 34, Live: 55e6, Collections: 210, Collecting: 0.5, Working: 125},
		Shares: []status.Share{
			{Name: "films", Folder: "/srv/films", ReadOnly: true, Guest: "read", Opens: 1, Names: &status.Names{
				Folders: 12, Fanotify: 10, Times: 2, Indexed: 9, Names: 1_000_312, Memory: 43.21e6, Open: 7, Pinned: 10, Builds: 9, BuildTime: 0.7, Rechecks: 3, Clashes: 1},
				Load: status.Load{Requests: 100_000, Read: 9e9, Written: 0, Minute: status.Minute{Seconds: 50, Read: 4e9,
					Kinds: []status.Kind{
						{Kind: "open", Requests: 10, Median: 0.0000411, Most: 0.00123},
						{Kind: "read", Requests: 40_600, Median: 0.000203, Most: 1.2},
						{Kind: "lock", Requests: 1},
					},
					Folders: []status.Folder{{Path: "2026/Nordsee", Requests: 40_000}, {Path: "", Requests: 3}}}}},
			{Name: "photos", Folder: "/srv/photos", Guest: "no", Refused: "its file system is not mounted",
				Load: status.Load{Minute: status.Minute{Seconds: 55, Kinds: []status.Kind{}, Folders: []status.Folder{{Path: "昔の写真", Requests: 700}}}}},
		},
		Sessions: []status.Session{
			{ID: "1", User: "anna", Address: "192.0.2.7", Client: "DESK", System: "Windows 10.0.22631", Dialect: "3.1.1", Signing: "AES-GMAC",
				Shares: []string{"films"}, Opens: 2, Since: noon.Add(-2 * time.Minute), Used: noon.Add(-5 * time.Second)},
			{ID: "2", Guest: true, Address: "192.0.2.8", Dialect: "2.1", Shares: []string{}, Since: noon.Add(-5 * time.Minute), Used: noon.Add(-4 * time.Minute)},
			{ID: "13", User: "bert", Address: "2001:db8::77", System: "Linux 6.1", Dialect: "3.0.2", Encrypted: "AES-128-CCM",
				Shares: []string{"films", "photos"}, Since: noon, Used: noon},
		},
		Opens: []status.Open{
			{ID: "1.7", Session: "1", Share: "films", Path: "a\x1b[2Jb.mkv", User: "anna", Access: []string{"read"}, Others: []string{"read", "write", "delete"},
				Oplock: "batch", Breaking: true, Since: noon},
			{ID: "2.12", Session: "2", Share: "films", Path: "2026/Nordsee mit den Kindern und dem Hund/Film 17 (gekürzt).mkv",
				Access: []string{"read", "write"}, Others: []string{}, Locks: 2, Delete: true, Since: noon.Add(-90 * time.Second),
				Ranges: []status.Range{{Offset: 0, Length: 100, Exclusive: true}, {Offset: 1 << 63, Length: 1<<63 - 1}}},
		},
		Waits: []status.Wait{
			{Session: "13", User: "bert", Share: "films", Path: "x.doc", Open: "13.4", Wants: "lock", Range: &status.Range{Offset: 0, Length: 10, Exclusive: true},
				For: "lock", By: []status.Blocker{{Open: "1.7", User: "anna", Address: "192.0.2.7"}, {Open: "2.12", Address: "192.0.2.8"}}, Since: noon.Add(-3 * time.Second)},
			{Session: "13", User: "bert", Share: "films", Path: "ab.mkv", Wants: "open", For: "oplock", By: []status.Blocker{{Open: "1.7", User: "anna"}}, Since: noon},
			{Session: "1", User: "anna", Share: "films", Path: "y", Wants: "rename", For: "name", By: []status.Blocker{}, Since: noon},
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
	defer syscall.Umask(syscall.Umask(0o27))
	l, err := status.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket mode = %v, %v", info.Mode(), err)
	}
	if umask := syscall.Umask(0o22); umask != 0o27 {
		t.Errorf("the umask is %o afterwards", umask)
	}
	ended := make(chan struct{})
	answers := status.Answers{Snapshot: sample, Reload: reloaded, Users: func() *status.Users { return &status.Users{Closed: []string{"a session"}} }, Close: func(id status.ID) *status.Closed {
		return &status.Closed{Closed: "the open " + id.String()}
	}}
	go func() { l.Serve(answers); close(ended) }()
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
	if got, err := status.AskUsers(t.Context(), path); err != nil || !slices.Equal(got.Closed, []string{"a session"}) {
		t.Errorf("users = %+v, %v", got, err)
	}
	if got, err := status.AskClose(t.Context(), path, status.ID{Session: 3, Open: 1<<64 - 1}); err != nil || got.Closed != "the open 3.18446744073709551615" || got.Error != "" {
		t.Errorf("close = %+v, %v", got, err)
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
