package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// namesWorks measure what it costs that a folder is full: nothing, is the
// promise. The copies come first, while the disk has nothing else to do.
func namesWorks() []work {
	return []work{
		{"names", false, func(b *bench, s *server, round int) error { return b.copy(s, bySmbgen, round) }},
		{"names", false, func(b *bench, s *server, round int) error { return b.copy(s, bySmbclient, round) }},
		{"names", true, (*bench).cold},
		{"names", true, (*bench).growth},
		{"names", true, (*bench).besideWriter},
		{"names", true, (*bench).tree},
	}
}

func namesGoals() []goal {
	list := []goal{
		{what: firstMiss(), limit: 1, most: true, unit: " s", of: figureOf(firstMiss())},
		{what: "exact opens while the folder is read: p50 beside that afterwards", limit: 2, most: true, unit: " x",
			of: ratioOf(exactOpens(true, "p50"), exactOpens(false, "p50"))},
		{what: exactOpens(true, "p99"), limit: 10_000, most: true, unit: " µs", of: figureOf(exactOpens(true, "p99"))},
		{what: namesMemory(), limit: 70, most: true, unit: " MB", of: figureOf(namesMemory())},
		{what: treeMemory(), limit: 100, most: true, unit: " MB", of: figureOf(treeMemory())},
		{what: treeOpen, limit: 1, most: true, of: figureOf(treeOpen)},
	}
	for _, op := range fullOps {
		list = append(list,
			goal{what: op.words + fmt.Sprintf(": p50 with %d files beside that with %d", *many, few), limit: 1.3, most: true, unit: " x",
				of: ratioOf(inFolder(op.words, "p50", *many), inFolder(op.words, "p50", few))},
			goal{what: op.words + fmt.Sprintf(": p99 with %d files beside that with %d", *many, few), limit: 2, most: true, unit: " x",
				of: ratioOf(inFolder(op.words, "p99", *many), inFolder(op.words, "p99", few))})
	}
	list = append(list,
		goal{what: "create beside a local writer: p50 beside that without", limit: 2, most: true, unit: " x", of: ratioOf(besideLocal, withoutLocal)},
		goal{what: rebuilds, limit: 0, most: true, of: figureOf(rebuilds)},
		goal{what: collecting, limit: 2, most: true, unit: " %", of: figureOf(collecting)})
	for _, c := range []client{bySmbgen, bySmbclient} {
		list = append(list,
			goal{what: lastOfAll(c), limit: 0.9, unit: " x the first", of: figureOf(lastOfAll(c))},
			goal{what: copying(c, sensitiveShare) + ": speed", limit: 2, unit: " x Samba", of: speedOf(copying(c, sensitiveShare))},
			goal{what: copying(c, defaultShare) + ": speed", limit: 10, unit: " x Samba", of: speedOf(copying(c, defaultShare))})
	}
	return list
}

const (
	few      = 1000
	photo    = "holiday photo %07d.jpg" // 25 bytes
	fullDir  = "full"
	fullTurn = 500 // operations in one folder before it is the other one's turn
	turns    = 8
)

// fullOps are what smbgen does in folders of two sizes.
var fullOps = []struct{ op, words string }{{"create", "create + write 1 KiB + close"}, {"miss", "open of a missing name"}}

// cold starts the server anew and asks for a name that is not in the full
// folder, which has to be read then, while files that are there are opened.
func (b *bench) cold(s *server, _ int) error {
	if err := fill(filepath.Join(s.data, fullDir), s.data, photo, *many); err != nil {
		return err
	}
	if err := s.restart(); err != nil {
		return err
	}
	if _, err := b.generate(s, signed, "-ops", "miss", "-n", "1", "-dir", "idle"); err != nil {
		return err
	}
	before, err := resident(s.pid)
	if err != nil {
		return err
	}
	rows, err := b.generate(s, signed, "-ops", "cold", "-dir", fullDir, "-n", fmt.Sprint(*many), "-name", photo)
	if err != nil {
		return err
	}
	after, err := resident(s.pid)
	for _, r := range rows {
		switch r.op {
		case "cold-miss-total":
			b.results.add(firstMiss(), s, measure{rate: r.elapsed, unit: "s"})
		case "cold-exact-total", "warm-exact-total":
			reading := r.op == "cold-exact-total"
			b.results.add(exactOpens(reading, "p50"), s, measure{rate: r.p50, unit: "µs"})
			b.results.add(exactOpens(reading, "p99"), s, measure{rate: r.p99, unit: "µs"})
		}
	}
	b.results.add(namesMemory(), s, measure{rate: after - before, unit: "MB"})
	return err
}

// growth works in a folder of few files and in the full one by turns, so that
// what else the machine does hits both alike.
func (b *bench) growth(s *server, round int) error {
	before, err := b.status()
	if err != nil {
		return err
	}
	began, err := cpuOf(s.pid)
	if err != nil {
		return err
	}
	for _, op := range fullOps {
		for turn := range turns {
			small := fmt.Sprintf("few-%d-%s-%d", round, op.op, turn)
			if err := fill(filepath.Join(s.data, small), s.data, photo, few); err != nil {
				return err
			}
			for dir, size := range map[string]int{small: few, fullDir: *many} {
				name := fmt.Sprintf("new %d %d", round, turn) + " %d"
				// The first miss finds the folder; the rest is measured.
				if _, err := b.generate(s, signed, "-ops", "miss", "-n", "1", "-dir", dir); err != nil {
					return err
				}
				rows, err := b.generate(s, signed, "-ops", op.op, "-n", fmt.Sprint(fullTurn), "-dir", dir, "-name", name)
				if err != nil {
					return err
				}
				for _, r := range rows {
					if r.op == op.op+"-total" {
						b.results.add(inFolder(op.words, "p50", size), s, measure{rate: r.p50, unit: "µs"})
						b.results.add(inFolder(op.words, "p99", size), s, measure{rate: r.p99, unit: "µs"})
					}
				}
			}
		}
	}
	after, err := b.status()
	if err != nil {
		return err
	}
	ended, err := cpuOf(s.pid)
	b.results.add(collecting, s, measure{rate: 100 * (after.Memory.Collecting - before.Memory.Collecting) / (ended - began), unit: "%"})
	return err
}

// besideWriter makes files in the full folder while this program, which is
// another process than the server, makes a thousand a second in it.
func (b *bench) besideWriter(s *server, round int) error {
	dir := filepath.Join(s.data, fullDir)
	create := func(work, name string) error {
		rows, err := b.generate(s, signed, "-ops", "create", "-n", fmt.Sprint(8*fullTurn), "-dir", fullDir, "-name", fmt.Sprintf("%s %d", name, round)+" %d")
		for _, r := range rows {
			if r.op == "create-total" {
				b.results.add(work, s, measure{rate: r.p50, unit: "µs"})
			}
		}
		return err
	}
	if err := create(withoutLocal, "quiet"); err != nil {
		return err
	}
	before, err := b.status()
	if err != nil {
		return err
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- write(dir, fmt.Sprintf("local %d", round)+" %d", time.Millisecond, stop) }()
	err = create(besideLocal, "beside")
	close(stop)
	if writeErr := <-stopped; err == nil {
		err = writeErr
	}
	if err != nil {
		return err
	}
	after, err := b.status()
	if err == nil {
		b.results.add(rebuilds, s, measure{rate: float64(after.Shares[0].Names.Rebuilds - before.Shares[0].Names.Rebuilds), unit: "times"})
	}
	return err
}

// write makes a file every so often until stop is closed. A file that is late is
// made at once.
func write(dir, name string, every time.Duration, stop chan struct{}) error {
	began := time.Now()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		case <-time.After(time.Until(began.Add(time.Duration(i) * every))):
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf(name, i)))
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
}

// tree has the server, started anew, asked for a missing name in each of many
// folders.
func (b *bench) tree(s *server, _ int) error {
	top := filepath.Join(s.data, "tree")
	if _, err := os.Stat(top); err != nil {
		if err := os.Mkdir(top, 0o777); err != nil {
			return err
		}
		for i := range *folders {
			dir := filepath.Join(top, fmt.Sprintf("%06d", i+1))
			if err := os.Mkdir(dir, 0o777); err != nil {
				return err
			}
			for k := range 10 {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(photo, k)), nil, 0o666); err != nil {
					return err
				}
			}
		}
		if err := give(top, s.data); err != nil {
			return err
		}
	}
	if err := s.restart(); err != nil {
		return err
	}
	if _, err := b.generate(s, signed, "-ops", "visit", "-dir", "tree", "-n", fmt.Sprint(*folders)); err != nil {
		return err
	}
	memory, err := resident(s.pid)
	if err != nil {
		return err
	}
	state, err := b.status()
	if err != nil {
		return err
	}
	if known := state.Shares[0].Names.Indexed + state.Shares[0].Names.Packed; known < *folders {
		return fmt.Errorf("of %d folders only %d are in memory", *folders, known)
	}
	b.results.add(treeMemory(), s, measure{rate: memory, unit: "MB"})
	b.results.add(treeOpen, s, measure{rate: float64(state.Memory.Folders) / float64(state.Memory.FoldersLimit), unit: "of the limit"})
	return nil
}

// The words of the table.

const (
	withoutLocal = "create in the full folder, p50"
	besideLocal  = "create in the full folder beside a local writer of 1000 files/s, p50"
	rebuilds     = "full folder read again because of that"
	collecting   = "garbage collection, of the server's CPU time, full folder in memory"
	treeOpen     = "descriptors of remembered folders, of a quarter of RLIMIT_NOFILE"
)

func firstMiss() string {
	return fmt.Sprintf("first missing name in a folder of %d, server just started", *many)
}

func exactOpens(reading bool, percentile string) string {
	if reading {
		return "open of a file that is there while that folder is read, " + percentile
	}
	return "open of a file that is there afterwards, " + percentile
}

func namesMemory() string {
	return fmt.Sprintf("memory beyond idle with %d names of 25 bytes", *many)
}

func treeMemory() string { return fmt.Sprintf("memory with %d folders of 10 files", *folders) }

func inFolder(op, percentile string, size int) string {
	return fmt.Sprintf("%s in a folder of %d, %s", op, size, percentile)
}
