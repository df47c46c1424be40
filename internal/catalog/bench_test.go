package catalog

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
)

const million = 1000000

// BenchmarkGive gives an id to each new file, one by one, as creates do.
func BenchmarkGive(b *testing.B) {
	faults := faultdisk.New()
	c := open(b, folder(b), Options{faults: faults})
	b.ReportAllocs()
	for n := range b.N {
		if err := c.Give(b.Context(), []Found{node(n, Root)}); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(faults.Calls()[disk.OpWrite])/float64(b.N), "writes/op")
	b.ReportMetric(float64(faults.Calls()[disk.OpSync])/float64(b.N), "syncs/op")
}

// BenchmarkList asks for the ids of 1000 known files that are in memory.
func BenchmarkList(b *testing.B) {
	c := open(b, folder(b), Options{})
	list := nodes(0, 1000, Root)
	give(b, c, list...)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Give(b.Context(), list); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEntry looks up a known id that is in memory.
func BenchmarkEntry(b *testing.B) {
	c := open(b, folder(b), Options{})
	id := give(b, c, nodes(0, 1000, Root)...)[500]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Entry(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMillion gives a million ids in listings of 1000 files, opens the
// catalog again in a process of its own, and tells what that took.
func BenchmarkMillion(b *testing.B) {
	if dir := os.Getenv("DOZO_CATALOG"); dir != "" {
		openMillion(b, dir)
		return
	}
	for range b.N {
		dir := folder(b)
		c := open(b, dir, Options{})
		began := time.Now()
		for n := 0; n < million; n += 1000 {
			give(b, c, nodes(n, n+1000, CNID(n/1000+2))...)
		}
		b.ReportMetric(million/time.Since(began).Seconds(), "ids/s")
		b.ReportMetric(float64(memory(b))/(1<<20), "MB-giving")
		began = time.Now()
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s-close")
		b.ReportMetric(float64(size(b, dir))/(1<<20), "MB-disk")

		run := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=Million", "-test.benchtime=1x")
		run.Env = append(os.Environ(), "DOZO_CATALOG="+dir)
		out, err := run.CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			var value float64
			var unit string
			if n, _ := fmt.Sscanf(line, "figure %g %s", &value, &unit); n == 2 {
				b.ReportMetric(value, unit)
			}
		}
	}
}

// openMillion opens the catalog in dir, and asks what the first listings ask.
func openMillion(b *testing.B, dir string) {
	began := time.Now()
	c := open(b, dir, Options{})
	fmt.Printf("\nfigure %g s-open\n", time.Since(began).Seconds())
	began = time.Now()
	give(b, c, nodes(500000, 501000, 502)...)
	fmt.Printf("\nfigure %g s-first-list\n", time.Since(began).Seconds())
	for {
		c.mu.RLock()
		whole := c.whole
		c.mu.RUnlock()
		if whole {
			break
		}
		runtime.Gosched()
	}
	fmt.Printf("\nfigure %g s-whole\n", time.Since(began).Seconds())
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("\nfigure %g MB-heap\n", float64(m.HeapAlloc)/(1<<20))
	fmt.Printf("\nfigure %g MB-opened\n", float64(memory(b))/(1<<20))
	began = time.Now()
	for n := 0; n < million; n += 1000 {
		give(b, c, nodes(n, n+1000, CNID(n/1000+2))...)
	}
	fmt.Printf("\nfigure %g s-list-all\n", time.Since(began).Seconds())
	fmt.Printf("\nfigure %g MB-listed\n", float64(memory(b))/(1<<20))
}

// memory returns what the process has in memory, in bytes.
func memory(b *testing.B) int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("no /proc here")
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// size returns what the files in dir need.
func size(b *testing.B, dir string) (total int64) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			total += info.Size()
		}
	}
	return total
}
