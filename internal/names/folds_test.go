package names

import (
	"fmt"
	"hash/maphash"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// TestAgreedFoldings holds what is taken for the same on all disks against the
// widest folding there is: full case folding of compatibility decompositions.
// What that makes of a name without odd characters must have the same key.
func TestAgreedFoldings(t *testing.T) {
	fold := cases.Fold()
	widest := func(s string) string { return norm.NFKD.String(fold.String(norm.NFKD.String(s))) }
	agreed := 0
	for r := rune(0); r <= 0x10ffff; r++ {
		if r < 0x80 || !isAgreed(r) {
			continue
		}
		agreed++
		s := string(r)
		if wide := widest(s); keyOf(normalizing, wide) != keyOf(normalizing, s) {
			t.Errorf("%U is taken for agreed, but becomes %q", r, wide)
		}
		if again := keyOf(normalizing, s); widest(again) != widest(s) {
			t.Errorf("%U has the key %q, which a disk keeps apart from it", r, again)
		}
	}
	if agreed < 30000 {
		t.Errorf("only %d characters are agreed", agreed)
	}
	for _, odd := range []string{"stra\u00dfe", "\u03bf\u03c2", "\u212a", "\ufb01", "a\u00adb", "\u13a0", "\xff", "\u0131", "\U0001f600\ufe0f"} {
		if !isOdd(odd) {
			t.Errorf("%q is not odd", odd)
		}
	}
	for _, plain := range []string{"File.txt", "\u00c9t\u00e9", "e\u0301", "\u041c\u0438\u0440", "\u6771\u4eac", "\ud55c"} {
		if isOdd(plain) {
			t.Errorf("%q is odd", plain)
		}
	}
}

// TestWhatEventsTell asks when an index knows what is stored after an event of
// a folder that folds, and when the folder must be read.
func TestWhatEventsTell(t *testing.T) {
	for _, tt := range []struct {
		what   string
		stored []string
		event  string
		there  bool
		want   bool
	}{
		{"made", []string{"Other"}, "File", true, true},
		{"came and went", []string{"Other"}, "File", false, true},
		{"written", []string{"File"}, "File", true, true},
		{"removed", []string{"File"}, "File", false, true},
		{"removed by another spelling", []string{"File"}, "FILE", false, false},
		{"replaced by another spelling", []string{"File"}, "FILE", true, false},
		{"removed, or respelled", []string{"File", "FILE"}, "File", true, false},
		{"one of two that only we fold removed", []string{"\u00c9", "\u00e9"}, "\u00e9", false, true},
		{"made, in another script", []string{"\u00e9t\u00e9"}, "\u041c\u0438\u0440", true, true},
		{"made, or another spelling that only the disk knows", []string{"stra\u00dfe"}, "strasse", true, false},
		{"removed, or that by such a spelling", []string{"stra\u00dfe"}, "strasse", false, false},
		{"such a spelling made", []string{"strasse"}, "stra\u00dfe", true, false},
		{"an odd name removed", []string{"strasse", "stra\u00dfe"}, "stra\u00dfe", false, true},
	} {
		d := &dir{t: &Tree{fold: normalizing}, names: newIndex(normalizing, maphash.MakeSeed())}
		for _, name := range tt.stored {
			d.names.add([]byte(name), 0)
		}
		if got := d.knows(tt.event, tt.there); got != tt.want {
			t.Errorf("%s: %t", tt.what, got)
		}
	}
}

// TestSearchByNode looks for the name that a disk which folds opened another
// by.
func TestSearchByNode(t *testing.T) {
	type entry struct {
		name string
		ino  uint64
	}
	for _, tt := range []struct {
		what    string
		entries []entry
		name    string
		ino     uint64
		want    string
		how     similarity
	}{
		{"the same", []entry{{"FILE", 1}, {"File", 1}}, "File", 1, "File", bySpelling},
		{"another case", []entry{{"Other", 2}, {"File", 1}}, "FILE", 1, "File", byBoth},
		{"one of two cases", []entry{{"\u00c9cole", 1}, {"\u00e9cole", 2}}, "\u00e9COLE", 2, "\u00e9cole", byBoth},
		{"what only the disk folds", []entry{{"Other", 2}, {"stra\u00dfe", 1}}, "STRASSE", 1, "stra\u00dfe", byNode},
		{"a node for each spelling", []entry{{"Other", 2}, {"File", 1}}, "FILE", 3, "File", byKey},
		{"nothing like it", []entry{{"Other", 2}}, "STRASSE", 3, "", 0},
	} {
		s := search{fold: normalizing, name: tt.name, key: appendKey(normalizing, nil, tt.name), there: true, ino: tt.ino}
		for _, e := range tt.entries {
			s.see(disk.DirEntry{Name: []byte(e.name), Ino: e.ino})
		}
		if s.found.name != tt.want || s.how != tt.how {
			t.Errorf("%s: %q, %d", tt.what, s.found.name, s.how)
		}
	}
}

// TestEmptyFoldersAreAskedAgain: a folder may be told to fold while it is empty,
// of which no event need tell.
func TestEmptyFoldersAreAskedAgain(t *testing.T) {
	for name, fill := range map[string]func(f *fixture){
		"by us":       func(f *fixture) { f.create("d/File") },
		"by others":   func(f *fixture) { local(f.t, "put "+f.path("d/File")); f.open("d/none") },
		"and read":    func(f *fixture) { local(f.t, "put "+f.path("d/File")); f.dropIndexes(); f.list("d") },
		"and emptied": func(f *fixture) { f.create("d/x"); f.open("d/X"); f.remove("d/x"); f.create("d/File") },
	} {
		f := newFixture(t, Options{})
		f.mkdir("d")
		f.list("d")
		for _, d := range f.allDirs() {
			d.folds.Store(foldsItself) // as if it had been told not to since
		}
		fill(f)
		f.open("d/FILE")
		for _, d := range f.allDirs() {
			if d.name == "d" && d.folds.Load() == foldsItself {
				t.Errorf("filled %s: it was not asked", name)
			}
		}
	}
}

// TestFoldersThatWereEmptyMeanwhile has a local process take all names of a
// folder away and make others, in between which it may have been told to fold,
// or not to.
func TestFoldersThatWereEmptyMeanwhile(t *testing.T) {
	for what, tt := range map[string]struct {
		look func(f *fixture)
		many int
	}{
		"without an index":           {func(f *fixture) { f.open("d/File") }, 1},
		"with one":                   {func(f *fixture) { f.list("d") }, 50},
		"with one that is read anew": {func(f *fixture) { f.list("d") }, 2 * minOverrun},
	} {
		f := fixtureIn(t, fastDir(t), Options{})
		put(t, f.path(""), "d/File")
		tt.look(f)
		for _, d := range f.allDirs() {
			d.folds.Store(foldsItself) // as if it had been told not to since
		}
		local(t, "rm "+f.path("d/File"), fmt.Sprintf("burst %s Other %d", f.path("d"), tt.many))
		expect(t, what, f.open("d/Other0"), "d/Other0")
		for _, d := range f.allDirs() {
			if d.name == "d" && d.folds.Load() == foldsItself {
				t.Errorf("%s: it was not asked", what)
			}
		}
	}
}

// TestOwnRemovalsEmptyAFolder takes the last name of a folder away that has no
// index.
func TestOwnRemovalsEmptyAFolder(t *testing.T) {
	f := newFixture(t, Options{})
	put(t, f.path(""), "d/File")
	expect(t, "remove", f.remove("d/File"), "d/File")
	for _, d := range f.allDirs() {
		if _, indexed := d.size.load(); d.name == "d" && (indexed || !d.empty.Load()) {
			t.Error("it will not be asked again")
		}
	}
}

// TestLinkOverAnother gives a file the name of another on a disk that does not
// tell whether it folds names: that is no reason to read the folder.
func TestLinkOverAnother(t *testing.T) {
	f, h := hookedFixture(t, t.TempDir(), Options{})
	h.set(func(c disk.Call) unix.Errno {
		if c.Op == disk.OpSpace {
			return unix.EIO
		}
		return 0
	})
	f.mkdir("d")
	f.create("d/1") // names of which no other case can be tried
	f.create("d/2")
	f.list("d")
	before := f.Stats().Builds
	expect(t, "link", f.link("d/1", "d/2", true), "d/1")
	if got := f.list("d"); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("list %q", got)
	}
	expect(t, "nothing", f.open("d/3"), bracket(vfs.KindNotExist))
	if got := f.Stats().Builds; got != before {
		t.Errorf("the folder was read %d times", got-before)
	}
}
