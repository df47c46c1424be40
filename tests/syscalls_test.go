package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fileCalls are the system calls that name a file or its descriptor.
const fileCalls = "%file,%desc"

// slack is how many calls on files for each step may come from elsewhere: what
// the server does by the clock, of which a busy machine has more for each step.
// One more for each is above it.
const slack = 0.5

// straceLine is a call in strace -f -y's output: its name and arguments.
var straceLine = regexp.MustCompile(`^\d+ +(\w+)\((.*)`)

// aboutMachine is the first argument of a call on what tells of the machine:
// what is mounted, how much memory there is.
var aboutMachine = regexp.MustCompile(`^(AT_FDCWD<[^>]*>, |\[\{fd=)?(\d+<|")(/sys/|/proc/(\w+/)?(mountinfo|meminfo))`)

// TestSystemCallsOfACreate holds the budget of create + write 1 KiB + close:
// at most five system calls that name a file or its descriptor. Those on
// sockets, and those that ask the kernel what has changed (the drains of the
// queue, a look whether something was mounted, how much memory there is), are
// not on files.
func TestSystemCallsOfACreate(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "strace")
	const files, budget = 200, 5
	s := serve(t)
	share := s.mount()
	one := func(i int) {
		t.Helper()
		f, err := share.OpenFile(fmt.Sprintf("file %d", i), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(make([]byte, 1024), 0); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	one(0) // the folder is known from here on

	calls := s.trace(func() {
		for i := range files {
			one(i + 1)
		}
	})
	per := float64(total(calls)) / files
	t.Logf("%.2f system calls on files for a create + write + close: %v in %d", per, calls, files)
	if per > budget+slack {
		t.Errorf("%.2f system calls on files for a create + write + close, more than %d", per, budget)
	}
}

// trace counts the system calls on files that the server makes while work is
// done.
func (s *server) trace(work func()) (calls map[string]int) {
	t := s.t
	t.Helper()
	log := filepath.Join(t.TempDir(), "strace")
	trace := exec.Command("strace", "-f", "-y", "-e", "trace="+fileCalls, "-o", log, "-p", strconv.Itoa(s.cmd.Process.Pid))
	var said output
	trace.Stderr = &said
	if err := trace.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(said.String(), "attached"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			trace.Process.Kill()
			trace.Wait()
			missing(t, "strace can't attach: %s", said.String())
		}
	}
	work()
	trace.Process.Signal(syscall.SIGINT)
	trace.Wait()

	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	calls = map[string]int{}
	for line := range strings.Lines(string(data)) {
		m := straceLine.FindStringSubmatch(line)
		if m == nil {
			continue // a call's second half, a signal
		}
		name, first := m[1], m[2]
		fd, _, _ := strings.Cut(first, ">")
		if strings.HasPrefix(name, "epoll") || strings.Contains(fd, "<socket:") || strings.Contains(fd, "<TCP") ||
			strings.Contains(fd, "<anon_inode:") || strings.Contains(fd, "<UNIX") || aboutMachine.MatchString(first) {
			continue
		}
		calls[name]++
	}
	return calls
}

// total is how many calls there were.
func total(calls map[string]int) (n int) {
	for _, count := range calls {
		n += count
	}
	return n
}
