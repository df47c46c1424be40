package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// work is a piece of work that a server is measured with.
type work struct {
	group   string // what -only names
	alone   bool   // of dozo alone: there is nothing to compare
	measure func(b *bench, s *server, round int) error
}

// works are all of them. What an idle server takes comes first.
func works() []work {
	all := []work{{group: "idle", measure: (*bench).idle}}
	for _, p := range []protection{plain, signed} {
		for _, workers := range []int{1, 8} {
			all = append(all, work{group: "create", measure: func(b *bench, s *server, round int) error { return b.create(s, p, workers, round) }})
		}
	}
	for _, p := range []protection{unsigned, signed} {
		for _, depth := range []string{"1", "8"} {
			all = append(all, work{group: p.group, measure: func(b *bench, s *server, _ int) error { return b.sequential(s, p, depth) }})
		}
		all = append(all, work{group: p.group, measure: func(b *bench, s *server, _ int) error { return b.random(s, p) }})
	}
	all = append(all, work{group: "calls", measure: (*bench).calls}, work{group: "list", measure: (*bench).list})
	return append(all, namesWorks()...)
}

// protection is how messages are protected, and which client does that.
type protection struct {
	name  string
	group string
	args  []string // for smbgen
}

// go-smb2 signs with CMAC only, and costs more than the servers then. So what is
// signed is measured with the project's own client and GMAC, and what that costs
// beside the same client without.
var (
	plain    = protection{"unsigned, go-smb2", "unsigned", []string{"-client", "go-smb2", "-signing", "none"}}
	unsigned = protection{"unsigned", "unsigned", []string{"-client", "own", "-signing", "none"}}
	signed   = protection{"signed with GMAC", "signed", []string{"-client", "own", "-signing", "gmac"}}
)

// create makes files of 1 KiB in one new folder.
func (b *bench) create(s *server, p protection, workers, round int) error {
	dir := fmt.Sprintf("new-%d-%s-%d", round, p.group, workers)
	rows, err := b.generate(s, p, "-ops", "create", "-dir", dir, "-n", fmt.Sprint(*files), "-c", fmt.Sprint(workers))
	for _, r := range rows {
		if r.op == "create-total" {
			b.results.add(creating(workers, p), s, measure{r.rate, "files/s", r.cpu / r.count * 1e6, "µs/file"})
		}
	}
	return err
}

// list lists a large folder: first on a server that was just started, then
// again.
func (b *bench) list(s *server, _ int) error {
	if err := fill(filepath.Join(s.data, "many"), s.data, "IMG_%06d.jpg", *listed); err != nil {
		return err
	}
	if err := s.restart(); err != nil {
		return err
	}
	rows, err := b.generate(s, unsigned, "-ops", "list", "-dir", "many")
	for i, r := range rows {
		if int(r.count) != *listed && int(r.count) != *listed+2 { // some count "." and ".."
			return fmt.Errorf("a listing of %d files has %.0f", *listed, r.count)
		}
		b.results.add(listing(i == 0), s, measure{r.elapsed, "s", r.cpu * 1e3, "ms"})
	}
	return err
}

// fill makes a folder of n empty files, locally, which belongs to the owner of
// another, unless it is there.
func fill(dir, owner, name string, n int) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(name, i+1)), nil, 0o666); err != nil {
			return err
		}
	}
	return give(dir, owner)
}

// give makes all of a folder belong to the owner of another.
func give(dir, owner string) error {
	return exec.Command("chown", "-R", "--reference="+owner, dir).Run()
}

// sequential writes and reads a large file in order, in blocks of 1 MiB. It is
// done twice and measured once: the memory that the first file took is then at
// hand for the second, on both servers.
func (b *bench) sequential(s *server, p protection, depth string) error {
	for _, measured := range []bool{false, true} {
		rows, err := b.generate(s, p, "-ops", "seq", "-seqqd", depth, "-dir", "bulk", "-sizemb", fmt.Sprint(*sizeMB))
		if err != nil {
			return err
		}
		for _, r := range rows {
			if op, whole := strings.CutSuffix(r.op, "-total"); whole && measured {
				b.results.add(moving(op, p), s, measure{r.mb, "MB/s", r.cpu / r.count * 1e3, "ms/MiB"})
			}
		}
	}
	return nil
}

// random reads and writes at random places of the file that sequential left.
func (b *bench) random(s *server, p protection) error {
	rows, err := b.generate(s, p, "-ops", "rand", "-dir", "bulk", "-sizemb", fmt.Sprint(*sizeMB))
	for _, r := range rows {
		if op, whole := strings.CutSuffix(r.op, "-total"); whole {
			b.results.add(moving(op, p), s, measure{r.rate, "ops/s", r.cpu / r.count * 1e6, "µs/op"})
		}
	}
	return err
}

// The words of the table for each kind of work.

func creating(workers int, p protection) string {
	return fmt.Sprintf("create + write 1 KiB + close, %d at a time, %s", workers, p.name)
}

func listing(first bool) string {
	if first {
		return fmt.Sprintf("list %d files, server just started", *listed)
	}
	return fmt.Sprintf("list %d files, again", *listed)
}

func moving(op string, p protection) string { return bulkWords[op] + ", " + p.name }

var bulkWords = map[string]string{
	"seqwrite-qd1":   "write 1 MiB in order",
	"seqread-qd1":    "read 1 MiB in order",
	"seqwrite-qd8":   "write 1 MiB in order, 8 at a time",
	"seqread-qd8":    "read 1 MiB in order, 8 at a time",
	"randread-qd1":   "read 4 KiB at random",
	"randwrite-qd1":  "write 4 KiB at random",
	"randread-qd32":  "read 4 KiB at random, 32 at a time",
	"randwrite-qd32": "write 4 KiB at random, 32 at a time",
}
