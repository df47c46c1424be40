package names

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// A name keeps its 8.3 name for ever, since programs store it: these may not
// change.
func TestShortNames(t *testing.T) {
	for _, tt := range []struct{ name, stored, want string }{
		{"long", "the long summer.jpeg", "T8SIAD~B.JPE"},
		{"only the extension is long", "photo.jpeg", "P08HDU~V.JPE"},
		{"no extension", "Makefile.", "M?????~?"},
		{"of 8.3 form", "README.TXT", ""},
		{"in small letters", "readme.txt", ""},
		{"in all characters of DOS", "!#$%&'().@^_", ""},
		{"given to another", "T8SIAD~B.JPE", ""},
		{"nine letters", "ninechars", "N?????~?"},
		{"two dots", "a.b.c", "A?????~?.C"},
		{"a dot in front", ".profile", "P?????~?"},
		{"a space", "a b", "A?????~?"},
		{"a comma", "a,b.c+d", "A?????~?.CD"},
		{"not ASCII", "Übung.docx", "B?????~?.DOC"},
		{"nothing for DOS", "写真.写真", "_?????~?"},
		{"no text", "caf\xe9.txt", "C?????~?.TXT"},
		{"what stands for a private character", "10:30", "1?????~?"},
		{"a device", "con", "CC8Z4A~1"},
		{"the root", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := shortOf(giving, tt.stored)
			if !fits(got, tt.want) {
				t.Errorf("shortOf(%+q) = %q, want %q", tt.stored, got, tt.want)
			}
			if got != "" && (!isShort(got) || needsAlias(got) || hasLowerCase(got)) {
				t.Errorf("%q, given to %+q, is no 8.3 name", got, tt.stored)
			}
			if off := shortOf(normalizing, tt.stored); off != "" {
				t.Errorf("%q is given though the share gives none", off)
			}
		})
	}
}

// fits reports whether name is pattern, in which each "?" is a digit of base
// 36.
func fits(name, pattern string) bool {
	if len(name) != len(pattern) {
		return false
	}
	for i := range len(name) {
		if pattern[i] == '?' && strings.IndexByte(shortDigits, name[i]) < 0 || pattern[i] != '?' && pattern[i] != name[i] {
			return false
		}
	}
	return true
}

// eachStock runs f on trees that give 8.3 names, with all that a folder can be
// found by: few names, an index, fingerprints.
func eachStock(t *testing.T, f func(t *testing.T, x *fixture)) {
	for _, tt := range []struct {
		name    string
		others  int
		options Options
	}{
		{"few names", 0, Options{}},
		{"index", 100, Options{}},
		{"fingerprints", 100, Options{Budget: budget.New(2048)}},
		{"change times", 100, Options{Coherence: Generations}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.ShortNames = true
			x := newFixture(t, tt.options)
			for i := range tt.others {
				put(t, x.dir, fmt.Sprintf("another file %d", i))
			}
			f(t, x)
		})
	}
}

func TestFindingByShortNames(t *testing.T) {
	exist, none, noPath := bracket(vfs.KindExist), bracket(vfs.KindNotExist), bracket(vfs.KindPathNotExist)
	eachStock(t, func(t *testing.T, f *fixture) {
		folder := f.ShortName("A-long-folder")
		put(t, f.dir, "A-long-folder/the-long-summer.jpeg", "con", "caf\xe9.text")
		expect(t, "open", f.open("a-long-folder/tyadfa~1.jpe"), "A-long-folder/the-long-summer.jpeg")
		expect(t, "open below", f.open(folder+"/TYADFA~1.JPE"), "A-long-folder/the-long-summer.jpeg")
		expect(t, "open in another case", f.open(strings.ToLower(folder)+"/The-Long-Summer.JPEG"), "A-long-folder/the-long-summer.jpeg")
		expect(t, "as stored, please", f.openExact("A-long-folder/TYADFA~1.JPE"), none)
		expect(t, "a device", f.open(f.ShortName("con")), "con")
		expect(t, "a device by its alias", f.open(Shown("con")), "con")
		expect(t, "no text", f.open(f.ShortName("caf\xe9.text")), "caf\xe9.text")
		expect(t, "not there", f.open("XYADFA~B.JPE"), none)
		expect(t, "not there, below", f.open("XYADFA~B.JPE/x"), noPath)
		expect(t, "create what it leads to", f.create(folder+"/TYADFA~1.JPE"), exist)
		expect(t, "create below", f.create(folder+"/new"), "A-long-folder/new")
		expect(t, "make the folder again", f.mkdir(folder), exist)
		expect(t, "rename to what it leads to", f.rename(folder+"/new", folder+"/TYADFA~1.JPE", false), exist)
		expect(t, "replace what it leads to", f.rename(folder+"/new", folder+"/TYADFA~1.JPE", true), "A-long-folder/the-long-summer.jpeg")
		expect(t, "link over it", f.link("con", folder+"/TYADFA~1.JPE", true), "con")
		expect(t, "it kept its name", f.open(folder+"/TYADFA~1.JPE"), "A-long-folder/the-long-summer.jpeg")

		// A file of just this name comes first, whoever made it.
		local(t, "put "+f.path("A-long-folder/TYADFA~1.JPE"))
		expect(t, "open the real one", f.open("a-long-folder/tyadfa~1.jpe"), "A-long-folder/TYADFA~1.JPE")
		expect(t, "open the other", f.open("a-long-folder/the-long-summer.jpeg"), "A-long-folder/the-long-summer.jpeg")
		local(t, "rm "+f.path("A-long-folder/TYADFA~1.JPE"))
		expect(t, "open when that went", f.open("a-long-folder/tyadfa~1.jpe"), "A-long-folder/the-long-summer.jpeg")
		local(t, "rm "+f.path("A-long-folder/the-long-summer.jpeg"))
		expect(t, "open when all went", f.open("a-long-folder/tyadfa~1.jpe"), none)
	})
}

// Two names can be given the same: it leads to the first of them.
func TestShortNamesThatClash(t *testing.T) {
	const first, second, both = "report-40958.text", "report-47790.text", "RIE50B~G.TEX"
	eachStock(t, func(t *testing.T, f *fixture) {
		put(t, f.dir, second)
		expect(t, "the only one", f.open(both), second)
		local(t, "put "+f.path(first))
		expect(t, "the first of two", f.open(both), first)
		expect(t, "the first by its name", f.open(strings.ToUpper(first)), first)
		expect(t, "the second by its name", f.open(strings.ToUpper(second)), second)
		expect(t, "remove", f.remove(both), first)
		expect(t, "the other one", f.open(both), second)
	})
}

// What was found by an 8.3 name comes back by it with its own.
func TestTunnel(t *testing.T) {
	const long, short = "the-long-summer.jpeg", "TYADFA~1.JPE"
	f := newFixture(t, Options{ShortNames: true})
	put(t, f.dir, long, "new.tmp", "sub/")
	expect(t, "remove", f.remove(short), long)
	expect(t, "create", f.create(short), long)
	expect(t, "rename away", f.rename(short, "old.bak", false), "old.bak")
	expect(t, "rename to it", f.rename("new.tmp", short, false), long)
	expect(t, "remove once more", f.remove(long), long)
	n, p, err := f.Create(bg, nil, short, disk.How{Flags: disk.Write, Mode: 0o644}, true)
	expect(t, "create just this spelling", answer(p, n, err), short)
	expect(t, "remove that", f.remove(short), short)
	expect(t, "create it in any", f.create(short), long)
	expect(t, "elsewhere it is a name like others", f.create("sub/"+short), "sub/"+short)
	expect(t, "remove again", f.remove(short), long)
	local(t, "put "+f.path(long))
	local(t, "put "+f.path(short))
	expect(t, "remove the real one", f.remove(short), short)
	expect(t, "what it leads to then", f.create(short), bracket(vfs.KindExist))

	// Only the last of those that went are known.
	for i := range tunnelSize + 1 {
		name := fmt.Sprintf("a file with number %d", i)
		f.create(name)
		f.remove(name)
	}
	first, last := f.ShortName("a file with number 0"), f.ShortName(fmt.Sprintf("a file with number %d", tunnelSize))
	expect(t, "the first that went", f.create(first), first)
	expect(t, "the last that went", f.create(last), fmt.Sprintf("a file with number %d", tunnelSize))

	f.remove(last)
	for i := range f.tunnel.gone {
		f.tunnel.gone[i].at -= int64(tunnelTime)
	}
	expect(t, "what went long ago", f.create(last), last)
}

// In a share in which case matters aliases and 8.3 names lead to files, too.
func TestGivenNamesWhereCaseMatters(t *testing.T) {
	for _, indexed := range []bool{false, true} {
		f := newFixture(t, Options{Sensitive: true, ShortNames: true})
		put(t, f.dir, "con", "photo.jpeg", "PHOTO.jpeg")
		if indexed {
			f.List(bg, f.rootPlace(), f.root.node)
		}
		expect(t, "alias", f.open(Shown("con")), "con")
		expect(t, "8.3 name", f.open("P08HDU~V.JPE"), "photo.jpeg")
		expect(t, "8.3 name of the other", f.open(f.ShortName("PHOTO.jpeg")), "PHOTO.jpeg")
		expect(t, "another case", f.open("Photo.jpeg"), bracket(vfs.KindNotExist))
		expect(t, "create by an alias", f.create(Shown("con")), bracket(vfs.KindExist))
	}
}

// An index with 8.3 names stays right while names come and go, also when it is
// made compact.
func TestShortNamesOfALargeFolder(t *testing.T) {
	const files = 5000
	dir := fastDir(t)
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("photograph %d.jpeg", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := fixtureIn(t, dir, Options{ShortNames: true})
	shortOf := func(i int) string { return f.ShortName(fmt.Sprintf("photograph %d.jpeg", i)) }
	f.open("x")
	for i := 0; i < files; i += 2 {
		if got, want := f.remove(shortOf(i)), fmt.Sprintf("photograph %d.jpeg", i); got != want {
			t.Fatalf("removed %q, not %q", got, want)
		}
	}
	if builds := f.Stats().Builds; builds != 1 {
		t.Errorf("the folder was read %d times", builds)
	}
	for i := range files {
		want := fmt.Sprintf("photograph %d.jpeg", i)
		if i%2 == 0 {
			want = bracket(vfs.KindNotExist)
		}
		expect(t, shortOf(i), f.open(shortOf(i)), want)
	}
	if left := f.list(""); len(left) != files/2 || !slices.IsSorted(left) {
		t.Errorf("%d names are left", len(left))
	}
}
