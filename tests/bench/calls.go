package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	callsPerCreate = "system calls on files per create + write + close"
	tracedFiles    = 500
)

// tracedName is a name that smbgen gives a file.
var tracedName = regexp.MustCompile(`IMG_\d+`)

// calls counts the system calls of a create, write and close that name the file
// or its descriptor. strace writes behind each descriptor what it stands for, so
// the line of every such call has the file's name in it. The median file counts:
// strace makes the server so slow that it looks at some files once more.
func (b *bench) calls(s *server, round int) error {
	dir := fmt.Sprintf("traced-%d", round)
	if _, err := b.generate(s, plain, "-ops", "list", "-dir", dir); err != nil { // makes the folder known
		return err
	}
	log := b.path("strace")
	var said bytes.Buffer
	trace := exec.Command("strace", "-f", "-qq", "-y", "-e", "trace=%file,%desc", "-o", log, "-p", fmt.Sprint(s.pid))
	trace.Stderr = &said
	if err := trace.Start(); err != nil {
		return err
	}
	time.Sleep(time.Second) // it is attached by then
	_, err := b.generate(s, plain, "-ops", "create", "-dir", dir, "-n", fmt.Sprint(tracedFiles))
	trace.Process.Signal(syscall.SIGINT)
	trace.Wait() // by the signal
	if err != nil {
		return fmt.Errorf("%w %s", err, &said)
	}
	lines, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	counts := map[string]float64{}
	for line := range strings.Lines(string(lines)) {
		// A call that was interrupted by another thread's has two lines.
		if name := tracedName.FindString(line); name != "" && !strings.Contains(line, "resumed>") {
			counts[name]++
		}
	}
	if len(counts) != tracedFiles {
		return fmt.Errorf("strace saw %d files of %d", len(counts), tracedFiles)
	}
	b.results.add(callsPerCreate, s, measure{rate: median(slices.Collect(maps.Values(counts))), unit: "calls"})
	return nil
}
