// Command fsx exercises one file of any mounted file system with random reads,
// writes, mapped reads and writes, cuts, growths and reopenings, and compares
// all it reads with a model in memory. It tells every operation before a
// difference.
//
//	fsx [-ops N] [-seed S] [-size BYTES] FILE
//
// The idea is that of the fsx that came with NeXT and lives on in xfstests;
// this is another program.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"syscall"
)

var (
	ops     = flag.Int("ops", 2000, "operations")
	seed    = flag.Uint64("seed", 1, "seed of the random numbers")
	maxSize = flag.Int("size", 256<<10, "largest size of the file, in bytes")
	mapped  = flag.Bool("mmap", true, "read and write by mapping, too")
)

// exercise is the file with the model of what it must hold.
type exercise struct {
	path  string
	file  *os.File
	model []byte
	rnd   *rand.Rand
	done  []string // operations, for the report
}

// step is a kind of operation; do says what it did.
type step struct {
	name string
	do   func() (what string, err error)
}

func main() {
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: fsx [-ops N] [-seed S] [-size BYTES] FILE")
		os.Exit(2)
	}
	x := &exercise{path: flag.Arg(0), rnd: rand.New(rand.NewPCG(*seed, 0))}
	if err := x.run(); err != nil {
		for i, op := range x.done[max(0, len(x.done)-50):] {
			fmt.Fprintln(os.Stderr, i, op)
		}
		fmt.Fprintf(os.Stderr, "fsx: seed %d, operation %d: %v\n", *seed, len(x.done), err)
		os.Exit(1)
	}
	fmt.Printf("fsx: %d operations, all as they should be\n", len(x.done))
}

func (x *exercise) run() (err error) {
	if x.file, err = os.OpenFile(x.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644); err != nil {
		return err
	}
	defer func() { x.file.Close() }()
	steps := []step{
		{"read", x.read}, {"read", x.read}, {"write", x.write}, {"write", x.write},
		{"truncate", x.truncate}, {"append", x.append}, {"reopen", x.reopen}, {"sync", x.sync},
	}
	if *mapped {
		steps = append(steps, step{"mapread", x.mapRead}, step{"mapwrite", x.mapWrite})
	}
	for range *ops {
		step := steps[x.rnd.IntN(len(steps))]
		what, err := step.do()
		x.done = append(x.done, step.name+" "+what)
		if err != nil {
			return fmt.Errorf("%s %s: %w", step.name, what, err)
		}
		info, err := x.file.Stat()
		if err != nil {
			return err
		}
		if info.Size() != int64(len(x.model)) {
			return fmt.Errorf("after %s %s the size is %d, not %d", step.name, what, info.Size(), len(x.model))
		}
	}
	if err := x.file.Close(); err != nil {
		return err
	}
	whole, err := os.ReadFile(x.path)
	if err != nil {
		return err
	}
	return x.compare(0, whole, len(x.model))
}

// span is a random range that may reach beyond the end, by up to reach bytes.
func (x *exercise) span(reach int) (off, n int) {
	off = x.rnd.IntN(min(len(x.model)+reach, *maxSize) + 1)
	n = x.rnd.IntN(64<<10) + 1
	if x.rnd.IntN(2) == 0 {
		n = x.rnd.IntN(300) + 1
	}
	return off, min(n, *maxSize-off)
}

func (x *exercise) fill(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(x.rnd.Uint32())
	}
	return b
}

func (x *exercise) read() (string, error) {
	off, n := x.span(1000)
	what := fmt.Sprintf("%d at %d", n, off)
	got := make([]byte, n)
	count, err := x.file.ReadAt(got, int64(off))
	if err != nil && !errors.Is(err, io.EOF) {
		return what, err
	}
	return what, x.compare(off, got[:count], n)
}

// compare checks what was read at off when n bytes were asked for.
func (x *exercise) compare(off int, got []byte, n int) error {
	want := x.model[min(off, len(x.model)):min(off+n, len(x.model))]
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes came, not %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			end := min(i+16, len(got))
			return fmt.Errorf("at %d is % x, not % x", off+i, got[i:end], want[i:end])
		}
	}
	return nil
}

// put writes b into the model.
func (x *exercise) put(off int, b []byte) {
	if off+len(b) > len(x.model) {
		x.model = append(x.model, make([]byte, off+len(b)-len(x.model))...)
	}
	copy(x.model[off:], b)
}

func (x *exercise) write() (string, error) {
	off, n := x.span(10_000) // beyond the end: a hole of zeros
	b := x.fill(n)
	x.put(off, b)
	if n == 0 {
		return "nothing", nil
	}
	_, err := x.file.WriteAt(b, int64(off))
	return fmt.Sprintf("%d at %d", n, off), err
}

func (x *exercise) append() (string, error) {
	b := x.fill(min(x.rnd.IntN(5000)+1, *maxSize-len(x.model)))
	if len(b) == 0 {
		return x.truncate()
	}
	off := len(x.model)
	x.put(off, b)
	_, err := x.file.WriteAt(b, int64(off))
	return fmt.Sprintf("%d at %d", len(b), off), err
}

func (x *exercise) truncate() (string, error) {
	size := x.rnd.IntN(*maxSize + 1)
	if size <= len(x.model) {
		x.model = x.model[:size:size]
	} else {
		x.put(len(x.model), make([]byte, size-len(x.model)))
	}
	return fmt.Sprintf("to %d", size), x.file.Truncate(int64(size))
}

func (x *exercise) sync() (string, error) { return "", x.file.Sync() }

func (x *exercise) reopen() (what string, err error) {
	if err := x.file.Close(); err != nil {
		return "", err
	}
	x.file, err = os.OpenFile(x.path, os.O_RDWR, 0)
	return "", err
}

// mapping maps the whole file for the time of a call.
func (x *exercise) mapping(prot int, use func([]byte) error) error {
	if len(x.model) == 0 {
		return nil
	}
	m, err := syscall.Mmap(int(x.file.Fd()), 0, len(x.model), prot, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	return errors.Join(use(m), syscall.Munmap(m))
}

func (x *exercise) mapRead() (string, error) {
	off, n := x.span(0)
	n = min(n, len(x.model)-off)
	return fmt.Sprintf("%d at %d", n, off), x.mapping(syscall.PROT_READ, func(m []byte) error {
		return x.compare(off, m[off:off+n], n)
	})
}

func (x *exercise) mapWrite() (string, error) {
	off, n := x.span(0)
	n = min(n, len(x.model)-off)
	b := x.fill(n)
	x.put(off, b)
	return fmt.Sprintf("%d at %d", n, off), x.mapping(syscall.PROT_READ|syscall.PROT_WRITE, func(m []byte) error {
		copy(m[off:], b)
		return nil
	})
}
