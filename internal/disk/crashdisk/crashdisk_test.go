package crashdisk_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/crashdisk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
)

// bench is a folder on a crashdisk.
type bench struct {
	*testing.T
	disk *crashdisk.Disk
	root *disk.Node
}

func newBench(t *testing.T, files ...string) *bench {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := crashdisk.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	root, err := disk.OpenRootWith(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &bench{t, d, root}
}

func (b *bench) do(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) open(name string) *disk.Node {
	b.Helper()
	f, err := b.root.Open(nil, name, disk.How{Flags: disk.Read | disk.Write | disk.Create, Mode: 0o600})
	b.do(err)
	b.Cleanup(func() { f.Close() })
	return f
}

func (b *bench) write(f *disk.Node, data string, off int64) {
	b.Helper()
	_, err := f.WriteAt([]byte(data), off)
	b.do(err)
}

// states returns the different states after all events, as "name=data" each.
func (b *bench) states(fates ...crashdisk.Fate) map[string]bool {
	b.Helper()
	found := map[string]bool{}
	for _, fate := range fates {
		dir := b.TempDir()
		b.do(b.disk.Restore(dir, b.disk.Events(), fate))
		entries, err := os.ReadDir(dir)
		b.do(err)
		var all []string
		for _, e := range entries {
			data, _ := os.ReadFile(filepath.Join(dir, e.Name()))
			all = append(all, e.Name()+"="+string(bytes.ReplaceAll(data, []byte{0}, []byte("."))))
		}
		found[strings.Join(all, " ")] = true
	}
	return found
}

func (b *bench) want(got map[string]bool, want ...string) {
	b.Helper()
	for _, s := range want {
		if !got[s] {
			b.Errorf("the state %q is missing", s)
		}
	}
	if len(got) != len(want) {
		b.Errorf("%d states, want %d: %v", len(got), len(want), got)
	}
}

// byLot is enough lots for each of a few states to be drawn.
func byLot() []crashdisk.Fate {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]crashdisk.Fate, 100)
	for i := range all {
		all[i] = crashdisk.Torn(rng)
	}
	return all
}

func TestWhatIsSyncedStays(t *testing.T) {
	b := newBench(t, "f")
	f := b.open("f")
	b.want(b.states(byLot()...), "f=old")
	b.write(f, "new", 0)
	b.want(b.states(byLot()...), "f=old", "f=new")
	b.write(f, "newer", 0)
	b.want(b.states(byLot()...), "f=old", "f=new", "f=newer", "f=old..", "f=new..")
	b.do(f.Sync())
	b.want(b.states(byLot()...), "f=newer")
	b.do(f.Truncate(2))
	b.want(b.states(byLot()...), "f=newer", "f=ne", "f=ne...")
	b.want(b.states(crashdisk.Lost), "f=newer")
	b.want(b.states(crashdisk.Kept), "f=ne")
}

func TestSectorsComeInAnyOrder(t *testing.T) {
	b := newBench(t)
	f := b.open("f")
	b.do(f.Truncate(1025))
	b.do(f.Sync())
	b.do(b.root.Sync())
	b.write(f, strings.Repeat("x", 1025), 0)
	x, o := strings.Repeat("x", 512), strings.Repeat(".", 512)
	b.want(b.states(byLot()...), "f="+o+o+".", "f="+o+o+"x", "f="+o+x+".", "f="+o+x+"x",
		"f="+x+o+".", "f="+x+o+"x", "f="+x+x+".", "f="+x+x+"x")
}

func TestEntriesLastWhenTheirFolderIsSynced(t *testing.T) {
	b := newBench(t, "a")
	b.do(b.open("b").Sync())
	b.want(b.states(byLot()...), "a=old", "a=old b=")
	b.do(b.root.Rename(nil, "b", b.root, "a", false))
	b.want(b.states(byLot()...), "a=old", "a=old b=", "a=")
	b.do(b.root.Sync())
	b.want(b.states(byLot()...), "a=")
	b.do(b.root.Remove(nil, "a", false))
	b.want(b.states(byLot()...), "a=", "")
	b.want(b.states(crashdisk.Kept), "")
	b.want(b.states(crashdisk.Lost), "a=")
}

// TestAfterAFailedSync believes no later one, but for what was written again.
func TestAfterAFailedSync(t *testing.T) {
	dir := t.TempDir()
	faults := faultdisk.New()
	d, err := crashdisk.New(dir, faults)
	if err != nil {
		t.Fatal(err)
	}
	root, err := disk.OpenRootWith(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	b := &bench{t, d, root}
	f := b.open("f")
	b.write(f, strings.Repeat("x", 513), 0)
	b.do(f.Sync())
	b.do(root.Sync())
	b.write(f, "y", 0)
	b.write(f, "y", 512)
	faults.Add(faultdisk.Rule{Op: disk.OpSync, Times: 1, Errno: unix.EIO})
	if err := f.Sync(); err == nil {
		t.Fatal("the sync went well")
	}
	b.write(f, "z", 512)
	b.do(f.Sync())
	x := strings.Repeat("x", 511)
	b.want(b.states(byLot()...), "f=x"+x+"z", "f=y"+x+"z")
}

// TestEarlierCuts makes the states of each moment, not only of the last.
func TestEarlierCuts(t *testing.T) {
	b := newBench(t, "f")
	f := b.open("f")
	for i := range 5 {
		b.write(f, strings.Repeat("x", i+1), 3)
	}
	for cut := range b.disk.Events() + 1 {
		dir := t.TempDir()
		b.do(b.disk.Restore(dir, cut, crashdisk.Kept))
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		if want := "old" + strings.Repeat("x", max(cut-1, 0)); string(data) != want || err != nil {
			t.Errorf("after %d events: %q, %v, want %q", cut, data, err, want)
		}
	}
}
