package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// groups of work, each on a server that was just started.
var groups = []struct {
	name    string
	measure func(b *bench, s *server, round int) error
}{
	{"create", (*bench).create},
	{"list", (*bench).list},
	{"unsigned", func(b *bench, s *server, _ int) error { return b.bulk(s, unsigned) }},
	{"signed", func(b *bench, s *server, _ int) error { return b.bulk(s, signed) }},
	{"calls", (*bench).calls},
	{"idle", (*bench).idle},
}

// protection is how messages are protected, and which client does that.
type protection struct {
	name string
	args []string // for smbgen
}

// go-smb2 signs with CMAC only, and costs more than the servers then. So what is
// signed is measured with the project's own client and GMAC, and what that costs
// beside the same client without.
var (
	plain    = protection{"unsigned, go-smb2", []string{"-client", "go-smb2", "-signing", "none"}}
	unsigned = protection{"unsigned", []string{"-client", "own", "-signing", "none"}}
	signed   = protection{"signed with GMAC", []string{"-client", "own", "-signing", "gmac"}}
)

// create makes files of 1 KiB in one folder, one at a time and eight.
func (b *bench) create(s *server, round int) error {
	for _, p := range []protection{plain, signed} {
		for _, workers := range []int{1, 8} {
			dir := fmt.Sprintf("new-%d-%s-%d", round, p.args[len(p.args)-1], workers)
			rows, err := b.generate(s, p, "-ops", "create", "-dir", dir, "-n", fmt.Sprint(*files), "-c", fmt.Sprint(workers))
			if err != nil {
				return err
			}
			for _, r := range rows {
				if r.op == "create-total" {
					b.results.add(creating(workers, p), s, measure{r.rate, "files/s", r.cpu / r.count * 1e6, "µs/file"})
				}
			}
		}
	}
	return nil
}

// list lists a large folder: first on a server that was just started, then
// again.
func (b *bench) list(s *server, _ int) error {
	if err := fill(filepath.Join(s.data, "many"), s.data); err != nil {
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

// fill makes a folder of empty files, locally, which belongs to the owner of
// another.
func fill(dir, owner string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for i := range *listed {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("IMG_%06d.jpg", i+1)), nil, 0o666); err != nil {
			return err
		}
	}
	return exec.Command("chown", "-R", "--reference="+owner, dir).Run()
}

// bulk writes and reads a large file in order and at random. The first write of
// the file, which finds the room for it on the disk, is not measured.
func (b *bench) bulk(s *server, p protection) error {
	size := fmt.Sprint(*sizeMB)
	if _, err := os.Stat(filepath.Join(s.data, "bulk", "big.bin")); err != nil {
		if _, err := b.generate(s, p, "-ops", "seq", "-seqqd", "1", "-dir", "bulk", "-sizemb", size); err != nil {
			return err
		}
	}
	rows, err := b.generate(s, p, "-ops", "seq,rand", "-dir", "bulk", "-sizemb", size)
	for _, r := range rows {
		op, whole := strings.CutSuffix(r.op, "-total")
		if !whole {
			continue
		}
		m := measure{r.rate, "ops/s", r.cpu / r.count * 1e6, "µs/op"}
		if strings.HasPrefix(op, "seq") { // in blocks of 1 MiB
			m = measure{r.mb, "MB/s", r.cpu / r.count * 1e3, "ms/MiB"}
		}
		b.results.add(moving(op, p), s, m)
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
