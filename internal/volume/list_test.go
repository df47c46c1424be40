package volume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/vfs"
)

// settle waits until change times can be trusted.
func settle() { time.Sleep(25 * time.Millisecond) }

// list returns all entries of the folder at path by name.
func list(t testing.TB, v *Volume, path string) map[string]vfs.Entry {
	t.Helper()
	f, err := v.Open(ctx, nil, path, vfs.OpenOptions{Access: vfs.ListDir})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := f.List(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	all := map[string]vfs.Entry{}
	for buf := make([]vfs.Entry, 1000); ; {
		n, err := l.Next(ctx, buf, false)
		for _, e := range buf[:n] {
			all[e.Name] = e
		}
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestListingsNoticeChanges changes what a listing remembers, by other ways than
// the volume.
func TestListingsNoticeChanges(t *testing.T) {
	dir := tempFolder(t)
	v := open(t, dir, Options{})
	for i := range 100 {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), []byte("data"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	before := list(t, v, "")
	if err := unix.Setxattr(filepath.Join(dir, "7"), "user.DOSATTRIB", []byte("0x22"), 0); err != nil {
		t.Skip("no extended attributes here:", err)
	}
	os.WriteFile(filepath.Join(dir, "8"), []byte("longer"), 0o644)
	os.Chmod(filepath.Join(dir, "9"), 0o600)
	// The inode of 10 is likely to come back as that of another file.
	spawn(t, "rm 10; touch new", dir)

	after := list(t, v, "")
	if got := after["7"].Attr.DOS; got != vfs.DOSHidden|vfs.DOSArchive {
		t.Errorf("7 is listed with %#x", got)
	}
	if got := after["8"].Attr.Size; got != 6 {
		t.Errorf("8 is listed with size %d", got)
	}
	if got := after["9"].Attr.Mode; got != 0o600 {
		t.Errorf("9 is listed with mode %o", got)
	}
	if _, ok := after["10"]; ok || after["new"].Attr.ID == before["10"].Attr.ID || after["new"].Attr.ID == 0 {
		t.Errorf("10 is listed: %v; new has id %d, 10 had %d", ok, after["new"].Attr.ID, before["10"].Attr.ID)
	}
	if after["11"] != before["11"] {
		t.Errorf("11 is listed with %+v, was with %+v", after["11"], before["11"])
	}
	for name, e := range after {
		f, err := v.Open(ctx, nil, name, vfs.OpenOptions{Access: vfs.ReadAttr})
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Attr(ctx)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if a.Parent = e.Attr.Parent; a != e.Attr {
			t.Errorf("%s is listed with %+v, has %+v", name, e.Attr, a)
		}
	}
}

func TestListerCanBeLeft(t *testing.T) {
	dir := tempFolder(t)
	v := open(t, dir, Options{})
	for i := range 2000 {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for asked := range 5 {
		f, err := v.Open(ctx, nil, "", vfs.OpenOptions{Access: vfs.ListDir})
		if err != nil {
			t.Fatal(err)
		}
		l, err := f.List(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range asked {
			if _, err := l.Next(ctx, make([]vfs.Entry, 150), false); err != nil {
				t.Fatal(err)
			}
		}
		f.Close() // under the lister
		var last error
		for range 10 {
			if _, last = l.Next(ctx, make([]vfs.Entry, 150), false); last != nil {
				break
			}
		}
		if !vfs.IsKind(last, vfs.KindClosed) {
			t.Errorf("after the folder was closed: %v", last)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMemoryKeepsToItsLimit(t *testing.T) {
	b := budget.New(800_000)
	var m memory
	m.open(b)
	defer m.close()
	made := func(n int) *folder {
		g := gathering{limit: m.most()}
		for i := range n {
			g.add(memo{ino: uint64(i + 1), id: uint64(i), changed: int64(i)})
		}
		return g.folder()
	}
	if made(10_000) != nil {
		t.Error("a folder beyond the limit is remembered")
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 300 {
				key := vfs.Key{FS: 1, Lo: uint64(w*1000 + i)}
				m.put(key, made(i))
				m.get(key)
				m.get(vfs.Key{FS: 1, Lo: uint64(i)})
				if i%10 == 0 {
					m.put(key, nil)
				}
			}
		})
	}
	all.Wait()
	m.account.Trim()
	m.mu.Lock() // who trims by itself may not be through
	defer m.mu.Unlock()
	var used int64
	for _, r := range m.folders {
		used += r.folder.bytes()
	}
	if used != b.Used() || used > b.Limit() || used < b.Limit()/2 {
		t.Errorf("%d bytes used, counted %d, limit %d", used, b.Used(), b.Limit())
	}
}

func BenchmarkList(b *testing.B) {
	const files = 100_000
	dir := tempFolder(b)
	for i := range files {
		if err := os.WriteFile(fmt.Sprintf("%s/holiday photograph %d.jpg", dir, i), nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	settle()
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			v, err := Open(dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			if n := len(list(b, v, "")); n != files {
				b.Fatal(n)
			}
			v.Close()
		}
	})
	// The floor: one look at each, and nothing else.
	b.Run("stat alone", func(b *testing.B) {
		v := open(b, dir, Options{})
		names := make([]string, 0, files)
		for _, e := range list(b, v, "") {
			names = append(names, e.Name)
		}
		cpu := cpuTime()
		for b.Loop() {
			for _, name := range names {
				if _, err := v.root.StatAt(name); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64((cpuTime()-cpu).Milliseconds())/float64(b.N), "cpu-ms/op")
	})
	b.Run("warm", func(b *testing.B) {
		var cpu time.Duration
		v := open(b, dir, Options{})
		buf := make([]vfs.Entry, 1000)
		for i := 0; b.Loop(); i++ {
			f, err := v.Open(ctx, nil, "", vfs.OpenOptions{Access: vfs.ListDir})
			if err != nil {
				b.Fatal(err)
			}
			l, err := f.List(ctx, nil)
			if err != nil {
				b.Fatal(err)
			}
			total := 0
			for err == nil {
				var n int
				n, err = l.Next(ctx, buf, false)
				total += n
			}
			if total != files || !errors.Is(err, io.EOF) {
				b.Fatal(total, err)
			}
			l.Close()
			f.Close()
			if i == 0 {
				b.ResetTimer()
				cpu = cpuTime()
			}
		}
		b.ReportMetric(float64((cpuTime()-cpu).Milliseconds())/float64(max(b.N-1, 1)), "cpu-ms/op")
	})
}

// cpuTime returns what the process used of all processors.
func cpuTime() time.Duration {
	var r unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// TestListingIsCanceled gives a listing up again and again, each time to go on
// from where it was, and for good in a folder whose entries are all gone by then.
func TestListingIsCanceled(t *testing.T) {
	dir := tempFolder(t)
	const files = 3000
	for i := range files {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v := open(t, dir, Options{})
	f, err := v.Open(ctx, nil, "", vfs.OpenOptions{Access: vfs.ListDir})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	begin := func() vfs.Lister {
		l, err := f.List(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	buf := make([]vfs.Entry, 1000)

	seen := map[string]int{}
	given := 0
	for l, ended := begin(), false; !ended; {
		n, err := l.Next(canceled, buf, false)
		if vfs.IsKind(err, vfs.KindCanceled) {
			given++
			n, err = l.Next(ctx, buf, false)
		}
		if ended = errors.Is(err, io.EOF); err != nil && !ended {
			t.Fatal(err)
		}
		for _, e := range buf[:n] {
			seen[e.Name]++
		}
	}
	for i := range files {
		if n := seen[fmt.Sprint(i)]; n != 1 {
			t.Errorf("%d is listed %d times", i, n)
		}
	}
	if given < files/fullBatch {
		t.Errorf("it was given up %d times", given)
	}

	l := begin()
	for i := range files {
		if err := os.Remove(fmt.Sprintf("%s/%d", dir, i)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := l.Next(canceled, buf, false); n != 0 || !vfs.IsKind(err, vfs.KindCanceled) {
		t.Errorf("in an empty folder: %d entries, %v", n, err)
	}
}
