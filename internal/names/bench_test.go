package names

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
)

// The benchmarks run in TMPDIR: name a disk to measure that one. Besides the time
// they report that of the processor, which a busy machine changes less.

// reportCPU reports what the processor spent on each operation since it was
// called.
func reportCPU(b *testing.B) (report func()) {
	spent := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := spent()
	return func() { b.ReportMetric(float64(spent()-before)/float64(b.N), "cpu-ns/op") }
}

func benchSizes(b *testing.B, f func(b *testing.B, n int)) {
	for _, n := range []int{1000, 100000, 1000000} {
		if n > 100000 && testing.Short() {
			return
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) { f(b, n) })
	}
}

// filled is a folder of n files, made before anybody looked.
func filled(b *testing.B, n int, o Options) *fixture {
	b.Helper()
	dir := b.TempDir()
	if err := os.Mkdir(dir+"/Folder", 0o755); err != nil {
		b.Fatal(err)
	}
	local(b, fmt.Sprintf("burst %s/Folder Photograph-number- %d", dir, n))
	f := fixtureIn(b, dir, o)
	f.open("folder/none")
	return f
}

// BenchmarkCreate makes files in a folder that holds many, and closes them.
func BenchmarkCreate(b *testing.B) {
	benchSizes(b, func(b *testing.B, n int) {
		f := filled(b, n, Options{Budget: budget.New(1 << 30)})
		b.ReportAllocs()
		defer reportCPU(b)()
		for i := 0; b.Loop(); i++ {
			node, p, err := f.Create(bg, nil, fmt.Sprintf("Folder/New-%d", i), disk.How{Flags: disk.Write, Mode: 0o644}, false)
			if err != nil {
				b.Fatal(err)
			}
			p.Release()
			node.Close()
		}
	})
}

// BenchmarkCreateBare is the same by the disk alone.
func BenchmarkCreateBare(b *testing.B) {
	benchSizes(b, func(b *testing.B, n int) {
		f := filled(b, n, Options{Coherence: Generations})
		d, err := disk.OpenRoot(f.path("Folder"))
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		defer reportCPU(b)()
		for i := 0; b.Loop(); i++ {
			node, err := d.Open(nil, fmt.Sprintf("New-%d", i), disk.How{Flags: disk.Write | disk.Create | disk.Exclusive, Mode: 0o644})
			if err != nil {
				b.Fatal(err)
			}
			node.Close()
		}
	})
}

// BenchmarkMiss asks for what is not there.
func BenchmarkMiss(b *testing.B) {
	benchSizes(b, func(b *testing.B, n int) {
		f := filled(b, n, Options{Budget: budget.New(1 << 30)})
		b.ReportAllocs()
		defer reportCPU(b)()
		for i := 0; b.Loop(); i++ {
			if _, _, err := f.Open(bg, nil, fmt.Sprintf("Folder/None-%d", i), disk.How{Flags: disk.PathOnly}, false); err == nil {
				b.Fatal("it is there")
			}
		}
	})
}

// BenchmarkOpen opens files by their exact names and in another case.
func BenchmarkOpen(b *testing.B) {
	for _, bm := range []struct {
		name  string
		spell func(string) string
	}{{"exact", func(s string) string { return s }}, {"other case", strings.ToUpper}} {
		b.Run(bm.name, func(b *testing.B) {
			benchSizes(b, func(b *testing.B, n int) {
				f := filled(b, n, Options{Budget: budget.New(1 << 30)})
				b.ReportAllocs()
				defer reportCPU(b)()
				for i := 0; b.Loop(); i++ {
					node, p, err := f.Open(bg, nil, bm.spell(fmt.Sprintf("Folder/Photograph-number-%d", i*7919%n)), disk.How{Flags: disk.Read}, false)
					if err != nil {
						b.Fatal(err)
					}
					p.Release()
					node.Close()
				}
			})
		})
	}
}

// BenchmarkBuild reads a folder into an index.
func BenchmarkBuild(b *testing.B) {
	benchSizes(b, func(b *testing.B, n int) {
		f := filled(b, n, Options{Budget: budget.New(1 << 30)})
		defer reportCPU(b)()
		for b.Loop() {
			f.dropIndexes()
			f.open("folder/none")
		}
	})
}

// BenchmarkLimits works where there is no room for names, and where nobody tells
// of changes.
func BenchmarkLimits(b *testing.B) {
	limits := []struct {
		name string
		o    Options
	}{
		{"budget of 1 MB", Options{Budget: budget.New(1 << 20)}},
		{"change times", Options{Budget: budget.New(1 << 30), Coherence: Generations}},
	}
	ops := []struct {
		name string
		do   func(f *fixture, i, n int) string
	}{
		{"create", func(f *fixture, i, n int) string { return f.create(fmt.Sprintf("Folder/New-%d", i)) }},
		{"miss", func(f *fixture, i, n int) string { return f.open(fmt.Sprintf("Folder/None-%d", i)) }},
		{"exact", func(f *fixture, i, n int) string {
			return f.open(fmt.Sprintf("Folder/Photograph-number-%d", i*7919%n))
		}},
		{"other case", func(f *fixture, i, n int) string {
			return f.open(fmt.Sprintf("Folder/PHOTOGRAPH-number-%d", i*7919%n))
		}},
	}
	for _, l := range limits {
		for _, op := range ops {
			b.Run(l.name+"/"+op.name, func(b *testing.B) {
				benchSizes(b, func(b *testing.B, n int) {
					f := filled(b, n, l.o)
					defer reportCPU(b)()
					for i := 0; b.Loop(); i++ {
						op.do(f, i, n)
					}
				})
			})
		}
	}
}

// BenchmarkDeepPath walks a path whose folders are all cached.
func BenchmarkDeepPath(b *testing.B) {
	f := newFixture(b, Options{})
	path := "a"
	f.mkdir(path)
	for range 7 {
		path += "/a"
		f.mkdir(path)
	}
	f.create(path + "/File")
	path += "/FILE"
	f.open(path)
	b.ReportAllocs()
	defer reportCPU(b)()
	for b.Loop() {
		node, p, err := f.Open(bg, nil, path, disk.How{Flags: disk.PathOnly}, false)
		if err != nil {
			b.Fatal(err)
		}
		p.Release()
		node.Close()
	}
}
