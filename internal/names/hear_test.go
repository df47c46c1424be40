package names

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// ear is who listens to a folder.
type ear struct {
	mu   sync.Mutex
	said []string
	stop func()
}

func (e *ear) tell(v vfs.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	kind := map[vfs.Type]string{vfs.TypeFile: "+", vfs.TypeDir: "/", vfs.TypeSymlink: "@"}[v.Type]
	switch {
	case v.Gone:
		kind = "-"
	case v.Name == "":
		kind = "lost"
	}
	e.said = append(e.said, kind+v.Name)
}

// heard returns what was said, in order of names, and forgets it.
func (e *ear) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	slices.Sort(e.said)
	said := strings.Join(slices.Compact(e.said), " ")
	e.said = nil
	return said
}

func (f *fixture) listen(path string, below bool) *ear {
	f.t.Helper()
	n, p, err := f.Open(bg, nil, path, disk.How{Flags: disk.Read}, false)
	if err != nil {
		f.t.Fatal(err)
	}
	defer n.Close()
	defer p.Release()
	e := new(ear)
	if e.stop, err = f.Watch(bg, p, below, e.tell); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(e.stop)
	return e
}

// listeningFixture is a Tree that tells what others do, if this system can.
func listeningFixture(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t, Options{})
	if f.Stats().Coherence != Fanotify {
		t.Skip("without fanotify nothing is heard")
	}
	return f
}

// flushed waits until all that happened before was told: what a mark of our
// own says comes after it.
func (f *fixture) flushed(mark *ear, p *process) {
	f.t.Helper()
	for _, change := range []string{"put", "rm"} {
		if err := p.do(change, f.path("mark/x")); err != nil {
			f.t.Fatal(err)
		}
		f.waitFor("the mark was told", func() bool { return mark.heard() != "" })
	}
}

func TestLocalChangesAreHeard(t *testing.T) {
	f := listeningFixture(t)
	put(t, f.dir, "d/old", "d/sub/old", "e/old", "mark/here")
	p := startLocal(t)
	mark := f.listen("mark", false)
	flat, deep := f.listen("D", false), f.listen("", true)
	f.open("d/sub/old") // which caches the folder
	for _, tt := range []struct{ do, flat, deep string }{
		{"put d/new", "+new", "+d/new"},
		{"mkdir d/folder", "/folder", "/d/folder"},
		{"rm d/new", "-new", "-d/new"},
		{"mv d/old d/other", "+other -old", "+d/other -d/old"},
		{"mv d/other d/sub/old", "-other", "+d/sub/old -d/other"},
		{"put d/sub/x", "", "+d/sub/x"},
		{"put d/a:b", "+a\uf022b", "+d/a\uf022b"},
		{"put .dozo", "", ""},
		{"chmod d/sub 700", "", ""},
	} {
		args := strings.Split(tt.do, " ")
		for i := range args[1:] {
			if args[0] != "chmod" || i == 0 {
				args[i+1] = f.path(args[i+1])
			}
		}
		if err := p.do(args...); err != nil {
			t.Fatal(err)
		}
		f.flushed(mark, p)
		got := strings.Join(slices.DeleteFunc(strings.Fields(deep.heard()), func(s string) bool { return strings.Contains(s, "mark/") }), " ")
		if flat := flat.heard(); flat != tt.flat || got != tt.deep {
			t.Errorf("%s: heard %q and below the root %q, want %q and %q", tt.do, flat, got, tt.flat, tt.deep)
		}
	}
}

func TestOwnChangesAreNotHeard(t *testing.T) {
	f := listeningFixture(t)
	put(t, f.dir, "mark/here")
	p := startLocal(t)
	mark, all := f.listen("mark", false), f.listen("", false)
	f.create("a")
	f.mkdir("b")
	f.rename("a", "c", false)
	f.remove("c")
	f.flushed(mark, p)
	if got := all.heard(); got != "" {
		t.Errorf("heard %q", got)
	}
}

func TestListenersKeepTheirFolder(t *testing.T) {
	f := listeningFixture(t)
	put(t, f.dir, "d/sub/x")
	e := f.listen("d/sub", false)
	f.o.Budget.SetLimit(1)
	f.idle()
	f.account.Trim()
	local(t, "put "+f.path("d/sub/y"))
	f.waitFor("it was heard", func() bool { return e.heard() == "+y" })
	e.stop()
	local(t, "put "+f.path("d/sub/z"))
	f.drainAll()
	f.tellHeard()
	if got := e.heard(); got != "" {
		t.Errorf("after the end heard %q", got)
	}
	if f.hearing.order != nil {
		t.Error("names are kept for nobody")
	}
	f.waitFor("folders are not kept for nobody", func() bool {
		f.idle()
		f.account.Trim()
		return f.Stats().Folders == 1
	})
}

func TestTheWatchedFolderIsRemoved(t *testing.T) {
	f := listeningFixture(t)
	put(t, f.dir, "d/x", "e/x")
	gone, moved := f.listen("d", false), f.listen("e", false)
	local(t, "rm "+f.path("d/x"), "rm "+f.path("d"), "mv "+f.path("e")+" "+f.path("f"), "put "+f.path("f/y"))
	f.waitFor("it was heard", func() bool { return strings.HasPrefix(gone.heard(), "-") })
	f.waitFor("the folder that was moved goes on", func() bool { return moved.heard() == "+y" })
}

func TestTooMuchToHear(t *testing.T) {
	f := listeningFixture(t)
	put(t, f.dir, "d/x")
	e := f.listen("d", false)
	d := f.hearing.listeners[0].d
	for i := range 3 * maxHeard { // the one who tends the Tree may come once meanwhile
		f.hearing.hear(d, fmt.Append(nil, i))
	}
	f.waitFor("that something was lost was heard", func() bool { return strings.Contains(e.heard(), "lost") })

	d.q.doubt() // as after an overflow of the system's queue
	f.waitFor("that something was lost was heard", func() bool { return strings.Contains(e.heard(), "lost") })
	f.waitFor("the folder is under watch again", d.watched)
	local(t, "put "+f.path("d/y"))
	f.waitFor("it was heard", func() bool { return strings.Contains(e.heard(), "+y") })
}

func TestNothingToListenWith(t *testing.T) {
	for _, way := range []Coherence{Inotify, Generations} {
		f := newFixture(t, Options{Coherence: way})
		n, p, err := f.Open(bg, nil, "", disk.How{Flags: disk.Read}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		defer p.Release()
		if _, err := f.Watch(bg, p, true, nil); !vfs.IsKind(err, vfs.KindUnsupported) {
			t.Errorf("%v: %v", way, err)
		}
	}
}
