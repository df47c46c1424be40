package names

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A local process is this test binary once more, told by its standard input
// what to do: a line is a change, the answer "ok" comes when the system call
// has returned.

func TestMain(m *testing.M) {
	if os.Getenv("DOZO_LOCAL") != "" {
		beLocal()
		return
	}
	os.Exit(m.Run())
}

func beLocal() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if err := doLocally(strings.Split(in.Text(), " ")); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("ok")
		}
	}
}

func doLocally(args []string) error {
	switch path := args[1]; args[0] {
	case "put":
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		return f.Close()
	case "mkdir":
		return os.Mkdir(path, 0o755)
	case "rm":
		return os.Remove(path)
	case "mv":
		return os.Rename(path, args[2])
	case "ln":
		return os.Link(path, args[2])
	case "burst": // dir prefix count
		var n int
		fmt.Sscan(args[3], &n)
		for i := range n {
			f, err := os.Create(fmt.Sprintf("%s/%s%d", path, args[2], i))
			if err != nil {
				return err
			}
			f.Close()
		}
		return nil
	case "spell", "unspell": // dir count
		var n int
		fmt.Sscan(args[2], &n)
		for i := range n {
			name := path + "/" + spelled(i)
			if args[0] == "unspell" {
				if err := os.Remove(name); err != nil {
					return err
				}
			} else if err := os.WriteFile(name, nil, 0o644); err != nil {
				return err
			}
		}
		return nil
	case "flip": // one other count
		var n int
		fmt.Sscan(args[3], &n)
		for range n {
			for _, name := range args[1:3] {
				f, err := os.Create(name)
				if err != nil {
					return err
				}
				f.Close()
			}
			os.Remove(args[2])
			os.Remove(path)
		}
		return nil
	case "chmod":
		var mode os.FileMode
		fmt.Sscanf(args[2], "%o", &mode)
		return os.Chmod(path, mode)
	}
	return fmt.Errorf("what is %q", args)
}

// process is a local process.
type process struct {
	mu  sync.Mutex
	in  *bufio.Writer
	out *bufio.Scanner
}

func startLocal(t testing.TB) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DOZO_LOCAL=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &process{in: bufio.NewWriter(in), out: bufio.NewScanner(out)}
}

// do makes one change and returns when that has returned.
func (p *process) do(args ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in.WriteString(strings.Join(args, " ") + "\n")
	if err := p.in.Flush(); err != nil {
		return err
	}
	if !p.out.Scan() {
		return fmt.Errorf("the local process ended")
	}
	if answer := p.out.Text(); answer != "ok" {
		return fmt.Errorf("%s", answer)
	}
	return nil
}

// local makes changes by a process of its own.
func local(t testing.TB, changes ...string) {
	t.Helper()
	p := startLocal(t)
	for _, c := range changes {
		if err := p.do(strings.Split(c, " ")...); err != nil {
			t.Fatal(err)
		}
	}
}
