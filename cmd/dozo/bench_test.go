package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBenchInterrupted: Ctrl-C, which reaches the program and the server that it
// started alike, ends it at once and leaves nothing behind. What was measured
// until then is printed.
func TestBenchInterrupted(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		target []string
		when   string // the line on stderr after which it comes
		prints string // "" for nothing
	}{
		{"own server, measuring", nil, "dozo: measuring at 500 files", ""},
		{"own server, the second size", nil, "dozo: making files, up to 39,", "| 500 |"},
		{"folder, growing", []string{"folder"}, "dozo: making files, up to 39,", "| 500 |"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "") // t's would be too long for the server's socket
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			for _, name := range []string{"tmp", "folder"} {
				if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), program, append([]string{"bench", "names", "--sizes", "500,40000", "--markdown"}, tt.target...)...)
			cmd.Args[0] = "dozo"
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"))
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var out strings.Builder
			cmd.Stdout = &out
			said, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			last := ""
			for lines := bufio.NewScanner(said); lines.Scan(); {
				if last = lines.Text(); strings.HasPrefix(last, tt.when) {
					syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
				}
			}
			if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 || last != "dozo: interrupted" {
				t.Errorf("it ended with %v, and last said %q", err, last)
			}
			if !strings.Contains(out.String(), tt.prints) || tt.prints == "" && out.Len() > 0 {
				t.Errorf("it printed\n%s", out.String())
			}
			for _, name := range []string{"tmp", "folder"} {
				if left, err := os.ReadDir(filepath.Join(dir, name)); err != nil || len(left) > 0 {
					t.Errorf("left in %s: %v, %v", name, left, err)
				}
			}
			if err := syscall.Kill(-cmd.Process.Pid, 0); err != syscall.ESRCH {
				t.Errorf("a process is left: %v", err)
			}
		})
	}
}
