package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dozo": main})
}

// TestScripts runs the command lines in testdata. Beside testscript's own
// commands there are:
//
//	fails CODE ARG...   dozo ARG... ends with that exit code, one line on stderr
//	port NAME           sets NAME to a TCP port that nobody listens on
//	take NAME           sets NAME to a port that somebody does listen on
//	serve ARG...        starts dozo serve ARG... and waits for "dozo: ready"
//	hangup WORDS        sends it SIGHUP and waits for the words in its log
//	quit                asks that server to end; its output is in out and err
//	missing FILE...     these don't exist
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_STATE_HOME", "")
			env.Setenv("USER", "tester")
			env.Values[serverKey{}] = &scriptServer{}
			env.Defer(func() { env.Values[serverKey{}].(*scriptServer).end() })
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"fails":   scriptFails,
			"port":    scriptPort,
			"take":    scriptTake,
			"serve":   scriptServe,
			"quit":    scriptQuit,
			"hangup":  scriptHangup,
			"missing": scriptMissing,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func scriptFails(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("dozo", args[1:]...)
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("dozo ended with %v, want exit code %s", err, args[0])
	}
	said := ts.ReadFile("stderr")
	if !strings.HasPrefix(said, "dozo: ") || strings.Count(said, "\n") != 1 {
		ts.Fatalf("stderr is not one sentence of dozo:\n%s", said)
	}
}

func scriptPort(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(l.Close())
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

func scriptTake(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

func scriptMissing(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		if _, err := os.Lstat(ts.MkAbs(name)); err == nil {
			ts.Fatalf("%s is there", name)
		}
	}
}

type serverKey struct{}

// scriptServer is the server that a script started.
type scriptServer struct {
	cmd  *exec.Cmd
	done chan error
}

func scriptServe(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(serverKey{}).(*scriptServer)
	ts.Check(s.end())
	path, err := exec.LookPath("dozo")
	ts.Check(err)
	cmd := exec.CommandContext(context.Background(), path, append([]string{"serve", "--bind", "127.0.0.1"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as a service: SIGHUP means reload
	for _, name := range []string{"HOME", "USER", "XDG_STATE_HOME", "DOZO_PASSWORD", "SUDO_USER", "PATH"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	errs, err := os.Create(ts.MkAbs("err"))
	ts.Check(err)
	defer errs.Close()
	pipe, err := cmd.StdoutPipe()
	ts.Check(err)
	cmd.Stderr = errs
	ts.Check(cmd.Start())
	s.cmd, s.done = cmd, make(chan error, 1)

	ready := make(chan bool, 1)
	copied, err := os.Create(ts.MkAbs("out"))
	ts.Check(err)
	go func() {
		defer copied.Close()
		lines := bufio.NewScanner(pipe)
		for lines.Scan() {
			fmt.Fprintln(copied, lines.Text())
			if lines.Text() == "dozo: ready" {
				ready <- true
			}
		}
		close(ready)
		s.done <- cmd.Wait()
	}()
	select {
	case ok := <-ready:
		if !ok {
			ts.Fatalf("dozo serve ended: %s", ts.ReadFile("err"))
		}
	case <-time.After(20 * time.Second):
		ts.Fatalf("dozo serve is not ready after 20 s: %s", ts.ReadFile("err"))
	}
}

func scriptQuit(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Value(serverKey{}).(*scriptServer).end())
}

// scriptHangup waits because who sends a signal is not told what came of it.
func scriptHangup(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Value(serverKey{}).(*scriptServer).cmd.Process.Signal(syscall.SIGHUP))
	for range 1000 {
		if strings.Contains(ts.ReadFile("err"), args[0]) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Fatalf("20 s after SIGHUP the log does not say %q:\n%s", args[0], ts.ReadFile("err"))
}

// end stops the server and returns how it ended.
func (s *scriptServer) end() error {
	if s.cmd == nil {
		return nil
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd = nil
	select {
	case err := <-s.done:
		return err
	case <-time.After(20 * time.Second):
		return errors.New("dozo serve did not stop within 20 s of SIGTERM")
	}
}
