// Command bench measures dozo beside a Samba that runs the same work on the
// same disk, in turns, and prints the table of docs/benchmarks.md.
//
//	go run ./tests/bench [-rounds 3] [-only create,list,unsigned,signed]
//
// Every figure is the median of the rounds. The rate is by the clock; CPU is
// what the server's processes used, which other work on the machine disturbs
// less. Both servers and the client share the machine. Needs root and Debian's
// samba.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var (
	rounds = flag.Int("rounds", 3, "how often everything is measured")
	files  = flag.Int("files", 20_000, "files that create makes")
	listed = flag.Int("listed", 100_000, "files of the folder that is listed")
	sizeMB = flag.Int("sizemb", 1024, "size of the large file, in MiB")
	only   = flag.String("only", "create,list,unsigned,signed", "groups of work to do")
	disk   = flag.String("disk", "", "folder on the disk to measure (default: a temporary one)")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp(*disk, "dozo-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // Samba's user must reach it
		return err
	}
	b := &bench{dir: dir, results: map[string]*result{}}
	if err := b.prepare(); err != nil {
		return err
	}
	for round := range *rounds {
		for _, g := range groups {
			if !slices.Contains(strings.Split(*only, ","), g.name) {
				continue
			}
			// Who comes first alternates, too.
			servers := []*server{b.dozo(), b.samba()}
			if round%2 == 1 {
				slices.Reverse(servers)
			}
			for _, s := range servers {
				fmt.Fprintf(os.Stderr, "bench: round %d, %s, %s\n", round+1, g.name, s.name)
				if err := g.measure(b, s); err != nil {
					return fmt.Errorf("%s, %s: %w", g.name, s.name, err)
				}
			}
		}
	}
	b.print(os.Stdout)
	return nil
}

// groups of work, each on a server of its own.
var groups = []struct {
	name    string
	measure func(*bench, *server) error
}{
	{"create", (*bench).create},
	{"list", (*bench).list},
	{"unsigned", func(b *bench, s *server) error { return b.bulk(s, "unsigned", "none") }},
	{"signed", func(b *bench, s *server) error { return b.bulk(s, "signed with GMAC", "gmac") }},
}

// bench is one run of everything.
type bench struct {
	dir     string
	results map[string]*result
	order   []string // of results, as they first came
}

// prepare compiles what is measured, as it is delivered, and makes dozo's
// folder. Both servers act for the user with an account of the same name, as
// tests/peers/samba-run makes it.
func (b *bench) prepare() error {
	for _, pkg := range []string{"cmd/dozo", "tests/peers/smbgen"} {
		cmd := exec.Command("go", "build", "-o", b.path(filepath.Base(pkg)), "github.com/dozo-server/dozo/"+pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if exec.Command("id", user).Run() != nil {
		if out, err := exec.Command("useradd", "-M", "-s", "/usr/sbin/nologin", user).CombinedOutput(); err != nil {
			return fmt.Errorf("useradd: %w\n%s", err, out)
		}
	}
	data := b.dozo().data
	if err := os.Mkdir(data, 0o755); err != nil {
		return err
	}
	return exec.Command("chown", user, data).Run()
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// create makes files of 1 KiB in one folder, one at a time and eight.
func (b *bench) create(s *server) error {
	for _, workers := range []int{1, 8} {
		what := fmt.Sprintf("create + write 1 KiB + close, %d at a time", workers)
		err := s.with(func() error {
			rows, err := b.generate(s, "-ops", "create", "-dir", "new", "-n", fmt.Sprint(*files), "-c", fmt.Sprint(workers))
			for _, r := range rows {
				if r.op == "create-total" {
					b.add(what, "files/s", s, r.rate, r.cpu/r.count*1e6, "µs/file")
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(s.data, "new")); err != nil {
			return err
		}
	}
	return nil
}

// list lists a large folder: first on a server that was just started, then
// again.
func (b *bench) list(s *server) error {
	if err := b.fill(s); err != nil {
		return err
	}
	return s.with(func() error {
		rows, err := b.generate(s, "-ops", "list", "-dir", "many")
		for i, r := range rows {
			what := fmt.Sprintf("list %d files, ", *listed)
			if i == 0 {
				what += "server just started"
			} else {
				what += "again"
			}
			b.add(what, "s", s, r.elapsed, r.cpu*1e3, "ms")
		}
		return err
	})
}

// fill makes the folder that list lists, locally.
func (b *bench) fill(s *server) error {
	many := filepath.Join(s.data, "many")
	if _, err := os.Stat(many); err == nil {
		return nil
	}
	if err := os.Mkdir(many, 0o777); err != nil {
		return err
	}
	for i := range *listed {
		if err := os.WriteFile(filepath.Join(many, fmt.Sprintf("IMG_%06d.jpg", i+1)), nil, 0o666); err != nil {
			return err
		}
	}
	return exec.Command("chown", "-R", "--reference="+s.data, many).Run()
}

// bulk writes and reads a large file in order and at random, with the
// project's own client for both servers.
func (b *bench) bulk(s *server, how, signing string) error {
	return s.with(func() error {
		rows, err := b.generate(s, "-client", "own", "-signing", signing, "-ops", "seq,rand", "-dir", "bulk", "-sizemb", fmt.Sprint(*sizeMB))
		for _, r := range rows {
			what, ok := bulkWords[r.op]
			if !ok {
				continue
			}
			if r.mb > 0 && strings.HasPrefix(r.op, "seq") {
				b.add(what+", "+how, "MB/s", s, r.mb, r.cpu/(r.mb*r.elapsed*1e6/(1<<20))*1e3, "ms/MiB")
			} else {
				b.add(what+", "+how, "ops/s", s, r.rate, r.cpu/r.count*1e6, "µs/op")
			}
		}
		return err
	})
}

var bulkWords = map[string]string{
	"seqwrite-qd1-total":   "write 1 MiB in order",
	"seqread-qd1-total":    "read 1 MiB in order",
	"seqwrite-qd8-total":   "write 1 MiB in order, 8 at a time",
	"seqread-qd8-total":    "read 1 MiB in order, 8 at a time",
	"randread-qd1-total":   "read 4 KiB at random",
	"randwrite-qd1-total":  "write 4 KiB at random",
	"randread-qd32-total":  "read 4 KiB at random, 32 at a time",
	"randwrite-qd32-total": "write 4 KiB at random, 32 at a time",
}
