package names

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// packAll packs all folders that can be packed.
func (f *fixture) packAll() {
	for _, d := range f.allDirs() {
		f.pack(d)
	}
}

// TestPackedFoldersAreRight packs folders, lets a local process or us change some
// of them, and asks at once. What did not change is not read again.
func TestPackedFoldersAreRight(t *testing.T) {
	for _, way := range []Coherence{Fanotify, Inotify} {
		dir := fastDir(t)
		for _, d := range []string{"same", "made", "removed", "renamed", "moved", "gone", "own", "empty"} {
			put(t, dir, "top/"+d+"/File", "top/"+d+"/con", "top/"+d+"/Other")
		}
		os.Remove(dir + "/top/empty/File")
		os.Remove(dir + "/top/empty/con")
		os.Remove(dir + "/top/empty/Other")
		f := fixtureIn(t, dir, Options{Coherence: way})
		folders := f.list("top")
		for _, d := range folders {
			f.list("top/" + d)
		}
		f.packs.age = grain
		time.Sleep(2 * grain)
		f.packAll()
		if s := f.Stats(); s.Packed < len(folders) || s.Folders > 2 || s.Marks > 2 || s.Names < 3*(len(folders)-1) {
			t.Fatalf("way %d: %+v", way, s)
		}
		p := startLocal(t)
		for _, change := range [][]string{
			{"put", "top/made/New"}, {"rm", "top/removed/File"}, {"mv", "top/renamed/File", "top/renamed/FILE"},
			{"mv", "top/moved", "top/elsewhere"}, {"rm", "top/gone/File"}, {"rm", "top/gone/con"}, {"rm", "top/gone/Other"}, {"rm", "top/gone"},
		} {
			for i := range change[1:] {
				change[i+1] = f.path(change[i+1])
			}
			if err := p.do(change...); err != nil {
				t.Fatal(err)
			}
		}
		f.list("top")
		f.open("TOP/none")
		builds := f.Stats().Builds
		expect(t, "the same", f.open("TOP/SAME/FILE"), "top/same/File")
		expect(t, "nothing there", f.open("top/same/none"), bracket(vfs.KindNotExist))
		expect(t, "create what is there", f.create("top/same/OTHER"), bracket(vfs.KindExist))
		expect(t, "in an empty one", f.open("top/EMPTY/other"), bracket(vfs.KindNotExist))
		if s := f.Stats(); s.Builds != builds || s.Rebuilds != 0 {
			t.Errorf("way %d: folders that had not changed were read: %+v", way, s)
		}
		expect(t, "in the folder that moved", f.open("top/ELSEWHERE/other"), "top/elsewhere/Other")
		expect(t, "made", f.open("top/made/NEW"), "top/made/New")
		expect(t, "there before", f.open("top/made/FILE"), "top/made/File")
		expect(t, "removed", f.open("top/removed/FILE"), bracket(vfs.KindNotExist))
		expect(t, "renamed", f.open("top/renamed/file"), "top/renamed/FILE")
		expect(t, "gone", f.open("top/gone/file"), bracket(vfs.KindPathNotExist))

		// It is watched again, and own changes are known.
		expect(t, "own", f.create("top/OWN/Ours"), "top/own/Ours")
		expect(t, "own again", f.open("top/own/OURS"), "top/own/Ours")
		if err := p.do("put", f.path("top/same/Late")); err != nil {
			t.Fatal(err)
		}
		expect(t, "made later", f.open("top/same/LATE"), "top/same/Late")
		f.packs.age = time.Hour
		packed := f.Stats().Packed
		f.packAll()
		if s := f.Stats(); s.Packed != packed {
			t.Errorf("way %d: folders that changed lately were packed: %+v", way, s)
		}
		expect(t, "own once more", f.open("top/own/OURS"), "top/own/Ours")
		if got := f.list("top/same"); !slices.Equal(got, []string{"File", "Late", "Other", alias("con")}) {
			t.Errorf("way %d: same lists %q", way, got)
		}
	}
}

// TestPackAwaitsAChangeThatHasNotToldYet: the call that set the change time tells
// of itself only when the folder is read, which waits for its lock.
func TestPackAwaitsAChangeThatHasNotToldYet(t *testing.T) {
	dir := fastDir(t)
	put(t, dir, "d/File")
	f, h := hookedFixture(t, dir, Options{})
	f.list("d")
	f.packs.age = grain
	time.Sleep(2 * grain)
	p := startLocal(t)
	looked, told := false, false
	h.set(func(c disk.Call) unix.Errno {
		switch {
		case c.Path != "d" || told:
		case c.Op == disk.OpStat:
			looked = true
		case c.Op == disk.OpList && looked:
			told = true
			if err := p.do("put", f.path("d/New")); err != nil {
				t.Error(err)
			}
		}
		return 0
	})
	f.packAll()
	if !told {
		t.Fatal("the folder was not read after its change time was")
	}
	if s := f.Stats(); s.Packed != 0 {
		t.Errorf("packed without what was made: %+v", s)
	}
	expect(t, "made meanwhile", f.open("d/NEW"), "d/New")
}

// TestModelPacked makes random changes as TestModelStepByStep does, while all
// folders are packed again and again.
func TestModelPacked(t *testing.T) {
	for _, way := range []Coherence{Fanotify, Inotify} {
		f := fixtureIn(t, fastDir(t), Options{Coherence: way})
		f.packs.age = grain
		var packs atomic.Int64
		stop := make(chan struct{})
		var packing sync.WaitGroup
		packing.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(grain / 10):
				}
				f.packAll()
				n, _ := f.packs.count()
				packs.Add(int64(n))
			}
		})
		stepByStep(t, chooser{rand.New(rand.NewPCG(5, uint64(way)))}, f, 1500)
		close(stop)
		packing.Wait()
		if packs.Load() == 0 {
			t.Errorf("way %d: nothing was packed", way)
		}
	}
}

// TestManyFoldersArePacked uses more folders than are kept as they are.
func TestManyFoldersArePacked(t *testing.T) {
	dir := fastDir(t)
	const many = 2 * hotFolders
	for i := range many {
		if err := os.Mkdir(fmt.Sprintf("%s/Dir%d", dir, i), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "Dir0/File", fmt.Sprintf("Dir%d/File", many-1))
	time.Sleep(packAge + grain)
	f := fixtureIn(t, dir, Options{})
	visit := func() {
		for i := range many {
			expect(t, "nothing there", f.open(fmt.Sprintf("DIR%d/none", i)), bracket(vfs.KindNotExist))
		}
	}
	visit()
	f.waitFor("many are packed", func() bool {
		s := f.Stats()
		return s.Folders <= hotFolders+hotFolders/4 && s.Folders+s.Packed == many+1
	})
	builds := f.Stats().Builds
	for _, i := range []int{0, many - 1} {
		expect(t, "open", f.open(fmt.Sprintf("DIR%d/FILE", i)), fmt.Sprintf("Dir%d/File", i))
	}
	visit()
	if s := f.Stats(); s.Builds != builds {
		t.Errorf("%d folders were read again: %+v", s.Builds-builds, s)
	}
	f.o.Budget.SetLimit(1)
	f.waitFor("packed ones go when there is no room", func() bool {
		f.idle()
		return f.Stats().Packed == 0
	})
}

// TestIdleFoldersThatAreNotKnownAreForgotten: of a folder without an index, or
// with one that is in doubt, there is nothing to pack, and to try it again and
// again would cost more than to open it once more.
func TestIdleFoldersThatAreNotKnownAreForgotten(t *testing.T) {
	f := fixtureIn(t, fastDir(t), Options{})
	put(t, f.dir, "walked/File", "doubted/File", "large/")
	local(t, fmt.Sprintf("burst %s File %d", f.path("large"), packNames+1))
	expect(t, "open", f.open("walked/File"), "walked/File")
	f.list("large")
	f.list("doubted")
	for _, d := range f.allDirs() {
		if d.name == "doubted" {
			d.invalid.Store(true)
		}
	}
	f.packAll()
	var left []string
	for _, d := range f.allDirs() {
		left = append(left, d.name)
	}
	slices.Sort(left)
	if s := f.Stats(); !slices.Equal(left, []string{"", "large"}) || s.Packed != 0 {
		t.Errorf("%q are left: %+v", left, s)
	}
	expect(t, "open again", f.open("DOUBTED/FILE"), "doubted/File")
}

// TestFirstPackedFolder takes the very first and then drops its chunk.
func TestFirstPackedFolder(t *testing.T) {
	b := budget.New(0)
	var s packs
	s.account = b.Open(&s)
	s.put(dirID{dev: 1}, packed{})
	s.put(dirID{dev: 2}, packed{})
	s.take(dirID{dev: 1})
	s.Drop(budget.Item{})
	if s.live != 0 || s.dead != 0 || b.Used() != 0 {
		t.Errorf("%d bytes live and %d dead, %d held, after all was dropped", s.live, s.dead, b.Used())
	}
}

// TestListenersToATreeKeepIt has somebody listen to a whole tree.
func TestListenersToATreeKeepIt(t *testing.T) {
	f := listeningFixture(t)
	f.listen("", true)
	if f.hearing.deep.Load() != 1 {
		t.Error("nobody listens to a tree")
	}
	e := f.listen("", false)
	e.stop()
	if f.hearing.deep.Load() != 1 {
		t.Error("one who listens to a folder was taken for one who listens to a tree")
	}
}

// TestPacks puts and takes at random and compares with a map. What was forgotten
// more than kept may take some with it.
func TestPacks(t *testing.T) {
	b := budget.New(0)
	var s packs
	s.account = b.Open(&s)
	model, lost := map[dirID]packed{}, 0
	rnd := rand.New(rand.NewPCG(1, 2))
	id := func() dirID {
		id := dirID{dev: uint64(rnd.IntN(2)), handle: disk.Handle{Type: 1, Size: uint8(8 + rnd.IntN(2)*24)}}
		id.handle.Bytes[0], id.handle.Bytes[7] = byte(rnd.IntN(256)), byte(rnd.IntN(8))
		return id
	}
	for i := range 100_000 {
		who := id()
		if rnd.IntN(3) > 0 {
			p := packed{changed: time.Unix(int64(i), 5), count: i, names: []byte(strings.Repeat("x", rnd.IntN(600)))}
			s.put(who, p)
			model[who] = p
			continue
		}
		got, ok := s.take(who)
		want, has := model[who]
		delete(model, who)
		if ok && (!has || !got.changed.Equal(want.changed) || got.count != want.count || string(got.names) != string(want.names)) {
			t.Fatalf("step %d: %v, want %v", i, got, want)
		}
		if has && !ok {
			lost++
		}
	}
	folders, live := 0, 0
	for who, p := range model {
		if _, ok := s.at[maphash.Comparable(packSeed, who)]; ok {
			folders, live = folders+1, live+packHeader+int(who.handle.Size)+len(p.names)
		}
	}
	if n, _ := s.count(); s.live != live || n != folders || lost > 5000 || folders < len(model)/2 {
		t.Errorf("%d bytes of %d folders are counted, %d of %d are there; %d were lost", s.live, n, live, folders, lost)
	}
	if used := b.Used(); used > int64(2*live+20*packChunkSize) {
		t.Errorf("%d bytes are held for %d", used, live)
	}
	s.forgetOthers(1)
	for key, at := range s.at {
		if id, _, _ := readPacked(s.record(at)); id.dev != 1 || maphash.Comparable(packSeed, id) != key {
			t.Fatalf("a folder of %d is left", id.dev)
		}
	}
	for folders, _ = s.count(); folders > 0; {
		s.Drop(budget.Item{})
		left, _ := s.count()
		if left >= folders && left > 0 && len(s.chunks) == 0 {
			t.Fatalf("%d folders are left without chunks", left)
		}
		folders = left
	}
	if s.live != 0 || s.dead != 0 || b.Used() != 0 {
		t.Errorf("%d bytes live and %d dead, %d held, after all was dropped", s.live, s.dead, b.Used())
	}
}
