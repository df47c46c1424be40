package main

import (
	"bufio"
	"bytes"
	"encoding/json"
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

	"github.com/dozo-server/dozo/internal/status"
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

	cmd  *exec.Cmd
	port int
	pid  int // of the process whose CPU counts, with its children
}

// The names of the two.
const dozo, samba = "dozo", "Samba"

func (b *bench) dozo() *server {
	data := b.path("dozo-data")
	return &server{name: dozo, share: "share", data: data, ready: "dozo: ready",
		argv: []string{b.path("dozo"), "serve", "share=" + data, "--config", os.DevNull, "--state", b.path("dozo-state"), "--bind", "127.0.0.1",
			"--user", user, "--signing", "offered", "--smb", "PORT"}}
}

// samba is Samba with the setting that makes it fast: exact names only.
func (b *bench) samba() *server {
	dir := b.path("samba")
	return &server{name: samba, share: "cs", data: filepath.Join(dir, "data", "cs"), ready: "samba-run: ready",
		argv: []string{"tests/peers/samba-run", dir, "PORT"}}
}

// restart starts the server anew: it has forgotten what it knew.
func (s *server) restart() error {
	if err := s.stop(); err != nil {
		return err
	}
	return s.start()
}

func (s *server) start() error {
	var err error
	if s.port, err = freePort(); err != nil {
		return err
	}
	argv := strings.Split(strings.ReplaceAll(strings.Join(s.argv, "\x00"), "PORT", strconv.Itoa(s.port)), "\x00")
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Env = append(os.Environ(), "DOZO_PASSWORD="+password)
	var said bytes.Buffer
	s.cmd.Stderr = &said
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	up := false
	for !up && lines.Scan() {
		up = lines.Text() == s.ready
	}
	if !up {
		s.cmd.Wait()
		return fmt.Errorf("%s did not start:\n%s", s.name, &said)
	}
	go func() {
		for lines.Scan() { // or the server would wait for a reader
		}
	}()
	s.pid = s.cmd.Process.Pid
	if s.name == samba { // whose smbd is the script's child
		children, err := childrenOf(s.pid)
		if err != nil || len(children) == 0 {
			return fmt.Errorf("samba-run has no smbd: %w", err)
		}
		s.pid = children[0]
	}
	return nil
}

func (s *server) stop() error {
	s.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(20*time.Second, func() { s.cmd.Process.Kill() })
	defer kill.Stop()
	return s.cmd.Wait()
}

// status is what dozo tells of itself.
func (b *bench) status() (*status.Snapshot, error) {
	out, err := exec.Command(b.path("dozo"), "status", "--json", "--state", b.path("dozo-state")).Output()
	if err != nil {
		return nil, fmt.Errorf("dozo status: %w", err)
	}
	var snapshot status.Snapshot
	return &snapshot, json.Unmarshal(out, &snapshot)
}

// cpuOf is what a process has used of the processors, in seconds.
func cpuOf(pid int) (seconds float64, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(data), ") ") // behind the name
	fields := strings.Fields(after)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return float64(user+system) / 100, err // the clock tick that Linux shows everywhere
}

// family is a process with all its descendants.
func family(pid int) ([]int, error) {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		children, err := childrenOf(all[i])
		if err != nil {
			return nil, err
		}
		all = append(all, children...)
	}
	return all, nil
}

// childrenOf are the children of a process, of all its threads.
func childrenOf(pid int) (children []int, err error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if errors.Is(err, os.ErrNotExist) {
			continue // a thread that has ended
		} else if err != nil {
			return nil, err
		}
		for word := range strings.FieldsSeq(string(data)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				return nil, err
			}
			children = append(children, child)
		}
	}
	return children, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
