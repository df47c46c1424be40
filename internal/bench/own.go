package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/dozo-server/dozo/internal/smbclient"
)

// Own is a Target on a server that was started for it: this program, in a
// process of its own, on a folder of its own. It can be restarted.
type Own struct {
	*SMB
	home    string // holds the share and the state
	program string
	port    string
	secret  string // its user's password

	cmd  *exec.Cmd
	said *bytes.Buffer
}

// The names that the server is given. No account of the machine is meant by the
// user's, so that the server acts as the folder's owner.
const (
	ownShare = "bench"
	ownUser  = "dozo-bench"
)

// maxHome is the longest path below which a socket can be made on all systems,
// that of state/status.sock.
const maxHome = 103 - len("/state/status.sock")

// stopTime is how long the server may take to stop.
const stopTime = 20 * time.Second

// StartOwn makes a folder among those for temporary files and starts program
// to serve it, at a port of the loopback and with a password that nobody knows.
func StartOwn(ctx context.Context, program string, o smbclient.Options) (own *Own, err error) {
	home, err := os.MkdirTemp("", "dozo-bench-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the test can't be made: %w; name another place with TMPDIR", err)
	}
	s := &Own{home: home, program: program, secret: rand.Text()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.end())
		}
	}()
	if len(home) > maxHome {
		return nil, fmt.Errorf("the folder for temporary files %s has a path too long for a server's socket; name a shorter one with TMPDIR", filepath.Dir(home))
	}
	if err := os.Mkdir(s.Share(), 0o755); err != nil {
		return nil, err
	}
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	s.SMB, err = DialSMB(ctx, smbclient.Path{
		Host: "127.0.0.1", Port: s.port, Share: ownShare,
		Login: smbclient.Login{User: ownUser, Password: s.secret},
	}, o)
	return s, err
}

// Share is the folder that is served.
func (s *Own) Share() string { return filepath.Join(s.home, "share") }

// start starts the server and returns when it accepts.
func (s *Own) start(ctx context.Context) error {
	s.said = &bytes.Buffer{}
	cmd := exec.Command(s.program, "serve", ownShare+"="+s.Share(), "--config", os.DevNull, "--state", filepath.Join(s.home, "state"),
		"--bind", "127.0.0.1", "--smb", s.port, "--user", ownUser)
	cmd.Args[0] = "dozo" // which it may go by
	cmd.Env = append(os.Environ(), "DOZO_PASSWORD="+s.secret)
	cmd.Stderr = s.said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { cmd.Process.Signal(syscall.SIGTERM) })()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "dozo: ready" {
			s.cmd = cmd
			go func() {
				for lines.Scan() { // or the server would wait for a reader
				}
			}()
			return nil
		}
	}
	cmd.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the server for the test did not start: %s", bytes.TrimSpace(s.said.Bytes()))
}

// stop stops the server.
func (s *Own) stop() error {
	if s.cmd == nil {
		return nil
	}
	cmd := s.cmd
	s.cmd = nil
	cmd.Process.Signal(syscall.SIGTERM)
	defer time.AfterFunc(stopTime, func() { cmd.Process.Kill() }).Stop()
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 {
		return nil // a signal, which a person at the terminal sent to it, too
	}
	if err != nil {
		return fmt.Errorf("the server for the test ended with %w: %s", err, bytes.TrimSpace(s.said.Bytes()))
	}
	return nil
}

// Renew restarts the server and logs in anew.
func (s *Own) Renew(ctx context.Context) (Renewal, error) {
	s.SMB.Close()
	if err := s.stop(); err != nil {
		return NewServer, err
	}
	if err := s.start(ctx); err != nil {
		return NewServer, err
	}
	return NewServer, s.dial(ctx)
}

// Close stops the server and removes all that it served and wrote.
func (s *Own) Close() error {
	s.SMB.Close()
	return s.end()
}

// end is Close without a connection.
func (s *Own) end() error {
	err := s.stop()
	return errors.Join(err, os.RemoveAll(s.home))
}

// freePort returns a port of the loopback that nobody listens on.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}
