package status

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// maxSocketPath is the longest path a Unix socket has on all systems
	// (sun_path of 104 bytes on FreeBSD and macOS, with its final zero).
	maxSocketPath = 103

	// maxSnapshot bounds what an answer has: some million opens.
	maxSnapshot = 1 << 30

	// answerTime is how long a reader may take to ask, and for the answer.
	answerTime = 10 * time.Second

	// maxQuestion bounds what a reader asks, in bytes.
	maxQuestion = 64
)

// Listener answers on a Unix socket: whoever connects sends one line, the
// question, and gets the answer as JSON, and the end.
type Listener struct{ l net.Listener }

// The questions.
const (
	askSnapshot = "status"
	askReload   = "reload"
	askUsers    = "users"
	askClose    = "close " // with an ID behind it
)

// Answers are what a server says to the questions. They may be called by several
// goroutines at once.
type Answers struct {
	Snapshot func() *Snapshot
	Reload   func() *Reload
	Users    func() *Users // looks at them again, and ends sessions
	Close    func(ID) *Closed
}

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
// nobody answers on it. While it runs nobody else may make files: it changes the
// umask of the process, since a socket whose mode comes later is open until then.
func Listen(path string) (*Listener, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the status socket: %w", err)
	}
	umask := syscall.Umask(0o177)
	l, err := net.Listen("unix", path)
	syscall.Umask(umask)
	if err != nil {
		return nil, fmt.Errorf("the status socket: %w", err)
	}
	return &Listener{l}, nil
}

// Serve answers until Close, and returns when the last answer was given.
func (s *Listener) Serve(a Answers) {
	var answering sync.WaitGroup
	defer answering.Wait()
	for {
		c, err := s.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptors: there may be some soon
			time.Sleep(100 * time.Millisecond)
			continue
		}
		answering.Go(func() { a.answer(c) })
	}
}

// answer answers one reader. One that left needs no answer.
func (a *Answers) answer(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(answerTime))
	question, _ := bufio.NewReaderSize(io.LimitReader(c, maxQuestion), maxQuestion).ReadString('\n')
	question, whole := strings.CutSuffix(question, "\n")
	if !whole {
		return
	}
	var answer any
	switch of, isClose := strings.CutPrefix(question, askClose); {
	case question == askSnapshot:
		answer = a.Snapshot()
	case question == askReload:
		answer = a.Reload()
	case question == askUsers:
		answer = a.Users()
	case isClose:
		id, err := ParseID(of)
		if err != nil {
			return
		}
		answer = a.Close(id)
	default:
		return
	}
	c.SetDeadline(time.Now().Add(answerTime))
	json.NewEncoder(c).Encode(answer)
}

// Close ends Serve and takes the socket away.
func (s *Listener) Close() error { return s.l.Close() }

// ErrNotRunning is the error of who asks when no server answers.
var ErrNotRunning = errors.New("no server answers there")

// Ask gets the Snapshot of the server that listens at path.
func Ask(ctx context.Context, path string) (*Snapshot, error) {
	return ask[Snapshot](ctx, path, askSnapshot)
}

// AskReload has the server that listens at path read its configuration again.
func AskReload(ctx context.Context, path string) (*Reload, error) {
	return ask[Reload](ctx, path, askReload)
}

// AskUsers has the server that listens at path end the sessions of users who may
// log in no more.
func AskUsers(ctx context.Context, path string) (*Users, error) {
	return ask[Users](ctx, path, askUsers)
}

// AskClose has the server that listens at path end a session, or close a file
// that one has open.
func AskClose(ctx context.Context, path string, id ID) (*Closed, error) {
	return ask[Closed](ctx, path, askClose+id.String())
}

func ask[A any](ctx context.Context, path, question string) (*A, error) {
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
	if _, err := io.WriteString(c, question+"\n"); err != nil {
		return nil, fmt.Errorf("the server does not listen: %w", err)
	}
	s := new(A)
	if err := json.NewDecoder(io.LimitReader(c, maxSnapshot)).Decode(s); err != nil {
		return nil, fmt.Errorf("the server's answer: %w", err)
	}
	return s, nil
}
