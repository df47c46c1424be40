package tests

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// programs is where the programs under test are built.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "dozo-test"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Chmod(programs, 0o755) // for tests that run them as another user
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// build compiles a package of the module as it is delivered, without C.
func build(pkg string) (string, error) {
	path := filepath.Join(programs, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}

var buildDozo = sync.OnceValues(func() (string, error) { return build("../cmd/dozo") })

// dozo is the path of the program under test, built once.
func dozo(t *testing.T) string {
	t.Helper()
	path, err := buildDozo()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// need skips the test unless all programs are installed.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing(t, "%s is not installed", p)
		}
	}
}

// needRoot skips the test unless it runs as root.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		missing(t, "needs root")
	}
}

// missing skips, or fails where nothing may be missing.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("DOZO_PEERS") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// server is a running server and what a client needs to use it.
type server struct {
	t        *testing.T
	port     int
	share    string // name of the share
	dir      string // its folder
	state    string
	user     string
	password string

	cmd *exec.Cmd
	log *journal
}

// journal is what a server prints. It is a file, not a pipe, so that a line can
// be read as soon as the server has written it.
type journal struct{ *os.File }

func newJournal(t *testing.T) *journal {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "journal"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &journal{f}
}

func (j *journal) String() string {
	text, err := os.ReadFile(j.Name())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// output collects what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// serve starts a dozo that serves a new folder as "share", with further
// arguments, and stops it when the test ends.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	return serveFolder(t, sharedDir(t), args...)
}

// sharedDir is a new folder that all users of the machine can reach; t.TempDir
// is closed to others.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dozo-share")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func serveFolder(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	if os.Getenv("DOZO_AGAINST") == "samba" {
		return serveSamba(t, args)
	}
	s := &server{t: t, port: freePort(t), share: "share", dir: dir, state: filepath.Join(t.TempDir(), "state"),
		user: "tester", password: "Secret77"}
	args = append([]string{"serve", "share=" + s.dir, "--config", os.DevNull, "--state", s.state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user}, args...)
	s.start(exec.Command(dozo(t), args...), "dozo: ready")
	return s
}

// serveSamba starts a Samba in place of the program.
func serveSamba(t *testing.T, args []string) *server {
	t.Helper()
	need(t, "smbd", "pdbedit")
	if len(args) > 0 {
		t.Skip("Samba takes no ", args)
	}
	root, err := os.MkdirTemp("/tmp", "samba-run") // t.TempDir is closed to Samba's user
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(root, 0o755)
	t.Cleanup(func() { os.RemoveAll(root) })
	s := &server{t: t, port: freePort(t), share: "default", dir: filepath.Join(root, "data", "default"),
		user: "bench", password: "benchpw"}
	s.start(exec.Command("peers/samba-run", root, strconv.Itoa(s.port)), "samba-run: ready")
	return s
}

// start runs cmd until the end of the test and waits for a line of its output.
func (s *server) start(cmd *exec.Cmd, ready string) {
	s.t.Helper()
	s.cmd, s.log = cmd, newJournal(s.t)
	cmd.Env = append(cmd.Environ(), "DOZO_PASSWORD="+s.password)
	cmd.Stderr = s.log.File
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		s.stop()
		if s.t.Failed() {
			s.t.Logf("the server said:\n%s", s.log)
		}
	})
	up := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			fmt.Fprintln(s.log, lines.Text())
			if lines.Text() == ready {
				up <- true
			}
		}
		close(up)
	}()
	select {
	case ok := <-up:
		if !ok {
			cmd.Wait()
			s.t.Fatalf("the server did not start:\n%s", s.log)
		}
	case <-time.After(20 * time.Second):
		s.t.Fatalf("the server is not ready after 20 s:\n%s", s.log)
	}
}

// stop asks the server to end, and returns how it did.
func (s *server) stop() error {
	if s.cmd.ProcessState != nil {
		return nil
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(20*time.Second, func() {
		s.cmd.Process.Kill()
		s.t.Error("the server did not stop within 20 s of SIGTERM")
	})
	defer kill.Stop()
	return s.cmd.Wait()
}

// again starts the server a second time on the same folders and port.
func (s *server) again() {
	s.t.Helper()
	s.start(exec.Command(s.cmd.Path, s.cmd.Args[1:]...), "dozo: ready")
}

// on is the server in the hands of a subtest.
func (s *server) on(t *testing.T) *server {
	sub := *s
	sub.t = t
	return &sub
}

func (s *server) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// path is a file of the share on this machine.
func (s *server) path(name string) string { return filepath.Join(s.dir, name) }

// write makes a file in the share behind the server's back.
func (s *server) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
	os.Chmod(s.path(name), 0o666)
}

// read returns a file of the share as it is on the disk.
func (s *server) read(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// names lists the folder of the share as it is on the disk.
func (s *server) names(dir string) string {
	s.t.Helper()
	entries, err := os.ReadDir(s.path(dir))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// freePort finds a TCP port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// run runs a program to its end, within a minute, and returns what it printed.
func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer kill.Stop()
	err := cmd.Run()
	return out.String(), err
}
