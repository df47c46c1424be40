package service_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/service"
)

// systemd is the other end of a notification socket.
type systemd struct {
	t    *testing.T
	conn *net.UnixConn
}

func listen(t *testing.T) (*systemd, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &systemd{t, conn}, path
}

// next is the next message that comes within a limit, "" for none.
func (s *systemd) next(limit time.Duration) string {
	s.t.Helper()
	s.conn.SetReadDeadline(time.Now().Add(limit))
	buf := make([]byte, 4096)
	n, err := s.conn.Read(buf)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ""
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return string(buf[:n])
}

const soon = 10 * time.Second

func TestMessages(t *testing.T) {
	other, path := listen(t)
	t.Setenv("NOTIFY_SOCKET", path)
	n := service.FromEnvironment()
	if os.Getenv("NOTIFY_SOCKET") != "" {
		t.Error("a child would speak for the server")
	}
	n.Ready()
	if got := other.next(soon); got != "READY=1" {
		t.Errorf("ready: %q", got)
	}
	n.Reloading()
	first, clock, _ := strings.Cut(other.next(soon), "\n")
	us, err := strconv.ParseInt(strings.TrimPrefix(clock, "MONOTONIC_USEC="), 10, 64)
	if first != "RELOADING=1" || err != nil || us <= 0 {
		t.Errorf("reloading: %q, %q", first, clock)
	}
	n.Stopping()
	if got := other.next(soon); got != "STOPPING=1" {
		t.Errorf("stopping: %q", got)
	}
	n.Watch(t.Context(), func(context.Context) error { return nil }) // returns: nobody asked for it
}

// TestWithoutSystemd: a server that was started by hand tells nobody.
func TestWithoutSystemd(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	n := service.FromEnvironment()
	if n != nil {
		t.Fatalf("there is somebody to tell: %v", n)
	}
	n.Ready()
	n.Reloading()
	n.Stopping()
	n.Watch(t.Context(), func(context.Context) error { t.Error("was asked"); return nil })

	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "gone"))
	service.FromEnvironment().Ready() // that nobody listens is no error of the server
}

// TestWatch: there is a sign of life after each answer, and none without.
func TestWatch(t *testing.T) {
	tests := []struct {
		name    string
		process int
		answers []error // of alive, in turn; then it waits until its time is up
		want    int     // signs of life
	}{
		{"alive", os.Getpid(), []error{nil, nil, nil}, 3},
		{"dead", os.Getpid(), []error{errors.New("dead"), errors.New("dead")}, 0},
		{"back", os.Getpid(), []error{errors.New("busy"), nil}, 1},
		{"hangs", os.Getpid(), nil, 0},
		{"another process is meant", 1, []error{nil}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			other, path := listen(t)
			t.Setenv("NOTIFY_SOCKET", path)
			t.Setenv("WATCHDOG_PID", strconv.Itoa(tt.process))
			t.Setenv("WATCHDOG_USEC", "40000")
			n := service.FromEnvironment()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			asked := 0
			n.Watch(ctx, func(limited context.Context) error {
				if asked++; asked <= len(tt.answers) {
					return tt.answers[asked-1]
				}
				<-limited.Done()
				cancel()
				return limited.Err()
			})
			n.Stopping()
			got := 0
			for {
				text := other.next(soon)
				if text == "STOPPING=1" {
					break
				}
				if text != "WATCHDOG=1" {
					t.Fatalf("it said %q", text)
				}
				got++
			}
			if got != tt.want {
				t.Errorf("%d signs of life, want %d", got, tt.want)
			}
		})
	}
}
