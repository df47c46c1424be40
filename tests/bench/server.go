package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The login of both servers; it is the one of tests/peers/samba-run.
const user, password = "bench", "benchpw"

// server is one of the two that are compared.
type server struct {
	name  string
	share string
	data  string // the share's folder
	ready string // the line that says that it accepts
	argv  []string

	port int
	pid  int // of the process whose CPU counts, with its children
}

func (b *bench) dozo() *server {
	data := b.path("dozo-data")
	return &server{name: "dozo", share: "share", data: data, ready: "dozo: ready",
		argv: []string{b.path("dozo"), "serve", "share=" + data, "--state", b.path("dozo-state"), "--bind", "127.0.0.1",
			"--user", user, "--signing", "offered", "--smb", "PORT"}}
}

// samba is Samba with the setting that makes it fast: exact names only.
func (b *bench) samba() *server {
	dir := b.path("samba")
	return &server{name: "Samba", share: "cs", data: filepath.Join(dir, "data", "cs"), ready: "samba-run: ready",
		argv: []string{"tests/peers/samba-run", dir, "PORT"}}
}

// with runs do while the server runs.
func (s *server) with(do func() error) error {
	var err error
	if s.port, err = freePort(); err != nil {
		return err
	}
	argv := strings.Split(strings.ReplaceAll(strings.Join(s.argv, "\x00"), "PORT", strconv.Itoa(s.port)), "\x00")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "DOZO_PASSWORD="+password)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	up := false
	for !up && lines.Scan() {
		up = lines.Text() == s.ready
	}
	go func() {
		for lines.Scan() { // or the server would wait for a reader
		}
	}()
	if !up {
		cmd.Wait()
		return fmt.Errorf("%s did not start:\n%s", s.name, &said)
	}
	s.pid = cmd.Process.Pid
	if filepath.Base(argv[0]) == "samba-run" { // smbd is the script's child
		if s.pid, err = childOf(s.pid); err != nil {
			return err
		}
	}
	err = do()
	cmd.Process.Signal(syscall.SIGTERM)
	stop := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer stop.Stop()
	return errors.Join(err, cmd.Wait())
}

// childOf is the first child of a process.
func childOf(pid int) (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(data), " ")
	return strconv.Atoi(first)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
