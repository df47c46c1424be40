package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

const (
	// maxSocketPath is the longest path a Unix socket has on all systems
	// (sun_path of 104 bytes on FreeBSD and macOS, with its final zero).
	maxSocketPath = 103

	// maxSnapshot bounds what Ask reads: some million opens.
	maxSnapshot = 1 << 30

	// answerTime is how long a reader may take for its snapshot.
	answerTime = 10 * time.Second
)

// Listener answers on a Unix socket: whoever connects gets one Snapshot as
// JSON, and the end.
type Listener struct{ l net.Listener }

// CheckPath refuses a path that no socket can have.
func CheckPath(path string) error {
	if len(path) > maxSocketPath {
		return fmt.Errorf("the path of the status socket %s is too long (%d bytes, at most %d); name a state folder with a shorter path with --state DIR",
			path, len(path), maxSocketPath)
	}
	return nil
}

// Listen makes the socket, for the owner of the process only. A socket that
// was left there is replaced: the caller holds the state folder's lock, so
// nobody answers on it.
func Listen(path string) (*Listener, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the status socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("the status socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("the status socket: %w", err)
	}
	return &Listener{l}, nil
}

// Serve answers, one reader after the other, until Close.
func (s *Listener) Serve(snapshot func() *Snapshot) {
	for {
		c, err := s.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptors: there may be some soon
			time.Sleep(100 * time.Millisecond)
			continue
		}
		c.SetDeadline(time.Now().Add(answerTime))
		json.NewEncoder(c).Encode(snapshot()) // a reader that left needs no answer
		c.Close()
	}
}

// Close ends Serve and takes the socket away.
func (s *Listener) Close() error { return s.l.Close() }

// ErrNotRunning is the error of Ask when no server answers.
var ErrNotRunning = errors.New("no server answers there")

// Ask gets the Snapshot of the server that listens at path.
func Ask(ctx context.Context, path string) (*Snapshot, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Now()) })()
	s := &Snapshot{}
	if err := json.NewDecoder(io.LimitReader(c, maxSnapshot)).Decode(s); err != nil {
		return nil, fmt.Errorf("the server's answer: %w", err)
	}
	return s, nil
}
