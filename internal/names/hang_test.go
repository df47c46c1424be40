package names

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// cachedAs returns the folder that was last seen by that name.
func (f *fixture) cachedAs(name string) *dir {
	f.t.Helper()
	for _, d := range f.allDirs() {
		if d.name == name {
			return d
		}
	}
	f.t.Fatalf("no folder %s is cached", name)
	return nil
}

// TestFolderAboveOneInUseStaysCached moves a folder in which a file is open away
// and lets nobody use the one it was in. A request by the open file still comes
// that way, and must not take the watch of whoever came there by the path.
func TestFolderAboveOneInUseStaysCached(t *testing.T) {
	for _, way := range []Coherence{Fanotify, Inotify} {
		dir := t.TempDir()
		put(t, dir, "d/sub/File", "elsewhere/")
		f := fixtureIn(t, dir, Options{Coherence: way})
		n, place, err := f.Open(bg, nil, "d/sub/File", disk.How{Flags: disk.Read}, false)
		if err != nil {
			t.Fatal(err)
		}
		p := startLocal(t)
		if err := p.do("mv", f.path("d/sub"), f.path("elsewhere/sub")); err != nil {
			t.Fatal(err)
		}
		f.drainAll()
		f.forget(f.cachedAs("d"))
		expect(t, "by the path", f.open("d/new"), bracket(vfs.KindNotExist))
		if err := f.Rename(bg, nil, place, n, "elsewhere/Moved", false, false); err != nil {
			t.Errorf("by the open file: %v", err)
		}
		if err := p.do("put", f.path("d/New")); err != nil {
			t.Fatal(err)
		}
		expect(t, "made locally", f.open("D/NEW"), "d/New")

		place.Release()
		n.Close()
		f.idle()
		f.forgetDrifting()
		if !f.forget(f.cachedAs("d")) {
			t.Error("the folder stays although nothing hangs below it")
		}
	}
}

// TestFolderDoubtedWhileItIsOpened lets a local process put another folder in
// place of one between our opening it and noting it, and nobody be told: by a
// queue that overflows, or because that is done by a mount.
func TestFolderDoubtedWhileItIsOpened(t *testing.T) {
	for what, doubt := range map[string]func(f *fixture){
		"overflow": func(f *fixture) { f.root.q.doubt() },
		"mount":    func(f *fixture) { f.mounts.Add(1) },
	} {
		dir := t.TempDir()
		put(t, dir, "d/x")
		f, h := hookedFixture(t, dir, Options{})
		if f.root.q == nil {
			t.Skip("no watch here")
		}
		f.open("")
		p := startLocal(t)
		done := false
		h.set(func(c disk.Call) unix.Errno {
			if done || c.Op != disk.OpHandle || c.Path != "d" {
				return 0
			}
			done = true
			for _, change := range [][]string{{"mv", f.path("d"), f.path("e")}, {"mkdir", f.path("d")}, {"put", f.path("d/y")}} {
				if err := p.do(change...); err != nil {
					t.Error(err)
				}
			}
			f.root.q.w.Drain(func(disk.Event) {}) // which are lost
			doubt(f)
			f.open("none") // somebody else notices
			return 0
		})
		f.open("d/x")
		if !done {
			t.Fatal("the folder was never looked at")
		}
		expect(t, what+", in the new folder", f.open("d/Y"), "d/y")
		expect(t, what+", in the old one", f.open("d/x"), bracket(vfs.KindNotExist))
	}
}

// TestFolderRenamedWhileItIsOpened has other requests find and rename a folder
// between our opening it and noting it. What is open in it is where it was renamed to.
func TestFolderRenamedWhileItIsOpened(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/File")
	f, h := hookedFixture(t, dir, Options{})
	f.open("")
	renamed := false
	h.set(func(c disk.Call) unix.Errno {
		if c.Op == disk.OpHandle && c.Path == "d" && !renamed {
			renamed = true
			expect(t, "found by another", f.open("d/File"), "d/File")
			expect(t, "rename", f.rename("d", "e", false), "e")
		}
		return 0
	})
	expect(t, "open", f.open("d/File"), "e/File")
	if !renamed {
		t.Fatal("the folder was never looked at")
	}
	if d := f.cachedAs("e"); !d.attached {
		t.Error("it is forgotten where the folder is")
	}
}

// TestAnotherDiskByTheSameNumber mounts a disk whose number stood for one that
// other machines change, and the other way round.
func TestAnotherDiskByTheSameNumber(t *testing.T) {
	f := newFixture(t, Options{})
	if f.root.q == nil {
		t.Skip("no watch here")
	}
	put(t, f.dir, "far/x", "near/x", "still/x")
	fs := f.queues.byFS[f.root.id.dev]
	kind := fs.kind
	fs.kind, fs.elsewhere, fs.queues = "nfs", true, nil
	f.open("far/x")
	if d := f.cachedAs("far"); d.q != nil {
		t.Error("a folder that other machines change has a queue")
	}
	for _, name := range []string{"near", "still"} {
		f.mountsChanged()
		f.open(name + "/x")
		if d := f.cachedAs(name); d.q == nil || !d.watched() {
			t.Errorf("%s is not watched", name)
		}
	}
	now := f.queues.byFS[f.root.id.dev]
	if now.kind != kind || now.elsewhere || len(now.queues) != 1 || len(f.queues.left) != 0 {
		t.Errorf("the disk is %+v", now)
	}

	now.kind = "nfs" // as if what is there were another
	f.mountsChanged()
	f.open("")
	f.open("far/none/none")
	f.mkdir("later")
	f.open("later/none")
	if len(f.queues.left) != 1 || !f.cachedAs("later").watched() {
		t.Errorf("%d queues are left", len(f.queues.left))
	}
}

// TestMountElsewhere mounts something that is none of the share's folders: what is
// known of these stays, although nobody uses them.
func TestMountElsewhere(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/sub/File")
	f, h := hookedFixture(t, dir, Options{Coherence: Fanotify})
	f.open("D/SUB/FILE")
	f.open("d/none")
	builds := f.Stats().Builds
	f.mountsChanged()
	expect(t, "nothing there", f.open("none"), bracket(vfs.KindNotExist))
	f.idle()
	f.forgetDrifting()
	h.take()
	expect(t, "once more", f.open("D/SUB/FILE"), "d/sub/File")
	if calls := h.take(); !slices.Equal(calls, []string{"stat d", "stat d/sub", "open d/sub/File"}) {
		t.Errorf("that took %q", calls)
	}
	expect(t, "and again", f.open("D/SUB/FILE"), "d/sub/File")
	if calls := h.take(); !slices.Equal(calls, []string{"open d/sub/File"}) {
		t.Errorf("the next took %q", calls)
	}
	if s := f.Stats(); s.Builds != builds {
		t.Errorf("%d folders were read again", s.Builds-builds)
	}
}

// TestDisksThatTakeTurns mounts two kinds of disks by one number in turns, which
// must not use up the queues.
func TestDisksThatTakeTurns(t *testing.T) {
	f := newFixture(t, Options{})
	if f.root.q == nil {
		t.Skip("no watch here")
	}
	r := request{t: f.Tree}
	defer r.end()
	n, err := r.node(f.root)
	if err != nil {
		t.Fatal(err)
	}
	s, dev := &f.queues, f.root.id.dev
	first := s.byFS[dev].queues[0]
	other := &system{dev: dev, kind: "another", queues: []*queue{s.open()}}
	s.left = append(s.left, other)
	before := s.next
	for i := range 2 * maxQueues {
		if s.byFS[dev] = s.exchange(s.byFS[dev], other.kind); s.byFS[dev] != other {
			t.Fatalf("turn %d: the other is not known again", i)
		}
		f.mountsChanged()
		if got := s.shards(dev, n); len(got) == 0 || got[0] != first {
			t.Fatalf("turn %d: the disk is not known again", i)
		}
	}
	if s.next != before || len(s.left) != 1 {
		t.Errorf("%d queues more, %d left", s.next-before, len(s.left))
	}
}
