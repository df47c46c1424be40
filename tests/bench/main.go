// Command bench measures dozo beside a Samba that does the same work on the
// same disk, in turns, and prints the tables of docs/benchmarks.md.
//
//	go run ./tests/bench [-rounds 5] [-only create,list,unsigned,signed,calls,idle] [-json FILE]
//	go run ./tests/bench -only names
//
// The group names measures what full folders cost, and the copy of -copied
// files that Samba gets slower at; it makes some two million files.
//
// Every figure is the median of the rounds. Rates are by the clock; CPU is what
// the server's processes used, which other work on the machine disturbs less.
// Both servers and the client share the machine. Needs root, and Debian's samba
// and strace.
//
// Nothing is deleted before the end: ext4 does not use the inode of a file again
// for five minutes, and looks through all those to find another, which would be
// measured instead. For the same reason run it on a disk that is left alone, if
// there is one (-disk).
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var (
	rounds   = flag.Int("rounds", 3, "how often everything is measured")
	files    = flag.Int("files", 20_000, "files that create makes")
	listed   = flag.Int("listed", 100_000, "files of the folder that is listed")
	sizeMB   = flag.Int("sizemb", 1024, "size of the large file, in MiB")
	many     = flag.Int("many", 1_000_000, "files of the full folder of the group names")
	folders  = flag.Int("folders", 100_000, "folders of 10 files that it makes")
	copied   = flag.Int("copied", 50_000, "files that it copies")
	patience = flag.Duration("patience", 10*time.Minute, "how long a copy may take; what was done by then is reckoned with")
	only     = flag.String("only", "create,list,unsigned,signed,calls,idle", "groups of work to do")
	disk     = flag.String("disk", "", "folder on the disk to measure (default: that of temporary files)")
	jsonFile = flag.String("json", "", "write all measurements to this file, too")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	dir, err := os.MkdirTemp(*disk, "dozo-bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil { // Samba's user must reach it
		return err
	}
	b := &bench{dir: dir}
	if err := b.prepare(); err != nil {
		return err
	}
	for round := range *rounds {
		if err := b.round(round); err != nil {
			return err
		}
	}
	b.results.print(os.Stdout)
	fmt.Println()
	b.results.judge(os.Stdout)
	if *jsonFile == "" {
		return nil
	}
	data, err := json.MarshalIndent(b.results, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(*jsonFile, append(data, '\n'), 0o644)
}

// round measures everything once: each piece of work on one server and at once on
// the other, so that what else the machine does hits both alike. Who comes first
// alternates.
func (b *bench) round(n int) (err error) {
	servers := []*server{b.dozo(), b.samba()}
	if n%2 == 1 {
		slices.Reverse(servers)
	}
	for _, s := range servers {
		if err := s.start(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	for _, w := range works() {
		if !slices.Contains(strings.Split(*only, ","), w.group) {
			continue
		}
		for _, s := range servers {
			if w.alone && s.name != dozo {
				continue
			}
			fmt.Fprintf(os.Stderr, "bench: round %d of %d, %s, %s\n", n+1, *rounds, w.group, s.name)
			if err := w.measure(b, s, n); err != nil {
				return fmt.Errorf("%s, %s: %w", w.group, s.name, err)
			}
		}
	}
	return nil
}

// bench is one run of everything.
type bench struct {
	dir     string
	results results
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

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
