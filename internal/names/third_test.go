package names

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

func TestThirdNames(t *testing.T) {
	for _, name := range []string{"a", "Read-me.txt", "-", strings.Repeat("n", 110)} {
		third := thirdName(name)
		if got, ok := ofThird(third); !ok || got != name || len(third) > maxThird {
			t.Errorf("%q is a third name of %q, %v", third, got, ok)
		}
	}
	for _, name := range []string{thirdName(""), thirdName(strings.Repeat("n", 111)), ".dozo", ".dozo-", ".dozo-x", thirdName("") + "-", "x" + thirdName("a")} {
		if got, ok := ofThird(name); ok {
			t.Errorf("%q is taken for a third name of %q", name, got)
		}
	}
}

// TestNoWayOnFromAThirdName changes the case of a name on a disk that refuses
// to go on from the third name, and to go back.
func TestNoWayOnFromAThirdName(t *testing.T) {
	const name, other = "\u00c9", "\u00e9" // of which no other case can be tried
	var mu sync.Mutex
	var reports []Event
	f, h := hookedFixture(t, t.TempDir(), Options{Report: func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, e)
	}})
	reported := func() (all []Event) {
		mu.Lock()
		defer mu.Unlock()
		all, reports = reports, nil
		return all
	}
	half, back := false, unix.Errno(0) // is it under way by the third name, and can it go back?
	h.set(func(c disk.Call) unix.Errno {
		switch {
		case c.Op == disk.OpSpace:
			return unix.EIO // the disk does not tell whether it folds names
		case c.Op != disk.OpRename:
		case c.Path == "d/"+other && half:
			return unix.EIO
		case c.Path == "d/"+other:
			return unix.EEXIST // it does
		case c.Path == "d/"+name && half:
			return back
		case c.Path == "d/"+name:
			half = true
		}
		return 0
	})
	f.mkdir("d")
	f.create("d/" + name)
	f.list("d")

	half = false
	expect(t, "with a way back", f.rename("d/"+name, "d/"+other, false), bracket(vfs.KindIO))
	expect(t, "it is where it was", f.open("d/"+other), "d/"+name)
	if got := reported(); len(got) != 0 {
		t.Errorf("reported: %+v", got)
	}

	n, p, err := f.Open(bg, nil, "d/"+name, disk.How{Flags: disk.Read}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	defer p.Release()
	half, back = false, unix.EIO
	expect(t, "without", f.rename("d/"+name, "d/"+other, false), bracket(vfs.KindIO))
	onDisk := func() string {
		entries, err := os.ReadDir(f.path("d"))
		if err != nil || len(entries) != 1 {
			t.Fatal(entries, err)
		}
		return entries[0].Name()
	}
	third := onDisk()
	expect(t, "what is open", p.Path(), "d/"+third)
	want := Event{Kind: Misnamed, Path: "d", Names: []string{third, name}}
	for _, what := range []string{"when it happened", "when the folder was read"} {
		if got := reported(); len(got) != 1 || got[0].Kind != want.Kind || got[0].Path != want.Path || !slices.Equal(got[0].Names, want.Names) {
			t.Errorf("reported %s: %+v, want %+v", what, got, want)
		}
		if got := f.list("d"); !slices.Equal(got, []string{third}) {
			t.Errorf("list %q", got)
		}
	}

	back = 0
	f.dropIndexes()
	expect(t, "read once more", f.open("d/"+other), "d/"+name)
	expect(t, "on disk", onDisk(), name)
	expect(t, "what is open", p.Path(), "d/"+name)
	expect(t, "the third name", f.open("d/"+third), bracket(vfs.KindNotExist))
	if got := f.list("d"); !slices.Equal(got, []string{name}) {
		t.Errorf("list %q", got)
	}
	if got := reported(); len(got) != 0 {
		t.Errorf("reported: %+v", got)
	}
}

// TestStoppedAtAThirdName finds what a machine left that stopped half-way: on a
// disk that folds names it gets its name back, elsewhere it is none of ours.
func TestStoppedAtAThirdName(t *testing.T) {
	for _, folds := range []bool{true, false} {
		dir := t.TempDir()
		third := thirdName("Caf\u00e9")
		put(t, dir, "d/"+third, "d/"+thirdName("")) // the latter of a link
		f, h := hookedFixture(t, dir, Options{})
		h.set(func(c disk.Call) unix.Errno {
			if folds && c.Op == disk.OpSpace {
				return unix.EIO
			}
			return 0
		})
		got := f.open("d/CAF\u00c9")
		if folds {
			expect(t, "its name", got, "d/Caf\u00e9")
			expect(t, "the third", f.open("d/"+third), bracket(vfs.KindNotExist))
		} else {
			expect(t, "its name", got, bracket(vfs.KindNotExist))
			expect(t, "the third", f.open("d/"+third), "d/"+third)
		}
		if n := len(f.list("d")); n != 2 {
			t.Errorf("%d names are listed", n)
		}
	}
}
