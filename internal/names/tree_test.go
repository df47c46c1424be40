package names

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// fixture is a Tree over a folder of its own.
type fixture struct {
	*Tree
	t   testing.TB
	dir string // the folder, as local processes see it
}

func newFixture(t testing.TB, o Options) *fixture { return fixtureIn(t, t.TempDir(), o) }

func fixtureIn(t testing.TB, dir string, o Options) *fixture {
	t.Helper()
	root, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if o.Path == "" {
		o.Path = dir
	}
	tree, err := New(root, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return &fixture{tree, t, dir}
}

// fastDir is t.TempDir in memory where there is such a disk, for many files.
func fastDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "names")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// eachWay runs f with each way to learn of changes.
func eachWay(t *testing.T, f func(t *testing.T, way Coherence)) {
	for way, name := range map[Coherence]string{Fanotify: "fanotify", Inotify: "inotify", Generations: "generations"} {
		t.Run(name, func(t *testing.T) { f(t, way) })
	}
}

var bg = context.Background()

// The helpers return the stored path of what an operation found or made, or
// its error's kind in brackets.

func answer(p *Place, n *disk.Node, err error) string {
	if err != nil {
		return "[" + vfs.KindOf(err).String() + "]"
	}
	defer p.Release()
	defer n.Close()
	return p.Path()
}

func (f *fixture) open(path string) string {
	n, p, err := f.Open(bg, nil, path, disk.How{Flags: disk.PathOnly}, false)
	return answer(p, n, err)
}

func (f *fixture) openExact(path string) string {
	n, p, err := f.Open(bg, nil, path, disk.How{Flags: disk.PathOnly}, true)
	return answer(p, n, err)
}

func (f *fixture) create(path string) string {
	n, p, err := f.Create(bg, nil, path, disk.How{Flags: disk.Read | disk.Write, Mode: 0o644}, false)
	return answer(p, n, err)
}

func (f *fixture) mkdir(path string) string {
	n, p, err := f.Mkdir(bg, nil, path, disk.How{Mode: 0o755}, false)
	return answer(p, n, err)
}

// change opens path and runs f on it; it returns the error's kind.
func (f *fixture) change(path string, do func(p *Place, n *disk.Node) error) string {
	n, p, err := f.Open(bg, nil, path, disk.How{Flags: disk.PathOnly | disk.NoFollow}, false)
	if err != nil {
		return answer(p, n, err)
	}
	defer n.Close()
	defer p.Release()
	if err := do(p, n); err != nil {
		return "[" + vfs.KindOf(err).String() + "]"
	}
	return p.Path()
}

func (f *fixture) rename(path, to string, replace bool) string {
	return f.change(path, func(p *Place, n *disk.Node) error {
		return f.Rename(bg, nil, p, n, to, replace, false)
	})
}

func (f *fixture) remove(path string) string {
	return f.change(path, func(p *Place, n *disk.Node) error { return f.Remove(bg, nil, p, n) })
}

func (f *fixture) link(path, to string, replace bool) string {
	return f.change(path, func(p *Place, n *disk.Node) error { return f.Link(bg, nil, n, to, replace, false) })
}

// list returns what the folder at path shows, sorted.
func (f *fixture) list(path string) (shown []string) {
	f.t.Helper()
	for _, e := range f.entries(path) {
		shown = append(shown, e.Shown)
	}
	slices.Sort(shown)
	return shown
}

func (f *fixture) entries(path string) (all []Entry) {
	f.t.Helper()
	n, p, err := f.Open(bg, nil, path, disk.How{Flags: disk.Read | disk.Directory}, false)
	if err != nil {
		f.t.Fatal(err)
	}
	defer n.Close()
	defer p.Release()
	l, err := f.List(bg, p, n)
	if err != nil {
		f.t.Fatal(err)
	}
	defer l.Close()
	some := make([]Entry, 100)
	for {
		k, err := l.Next(bg, some)
		all = append(all, some[:k]...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

// Changes by others are made by a child process, see local_test.go.

func (f *fixture) path(path string) string { return filepath.Join(f.dir, path) }

// put makes files and, with a trailing "/", folders before anybody looks.
func put(t testing.TB, dir string, paths ...string) {
	t.Helper()
	for _, p := range paths {
		full := filepath.Join(dir, strings.TrimSuffix(p, "/"))
		var err error
		if strings.HasSuffix(p, "/") {
			err = os.MkdirAll(full, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(full), 0o755); err == nil {
			err = os.WriteFile(full, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func expect(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestOpenFindsAnyCase(t *testing.T) {
	eachWay(t, func(t *testing.T, way Coherence) {
		dir := t.TempDir()
		put(t, dir, "Docs/Letters/Mother.txt", "Docs/a", "Docs/A", "Docs/u\u0308ber", "Docs/10:30", "Docs/con", "Docs/caf\xe9", ".dozo/secret")
		f := fixtureIn(t, dir, Options{Coherence: way})
		for range 2 { // the second time from the index
			for _, tt := range []struct{ path, want string }{
				{"", ""},
				{"Docs/Letters/Mother.txt", "Docs/Letters/Mother.txt"},
				{"docs/LETTERS/mother.TXT", "Docs/Letters/Mother.txt"},
				{"DOCS", "Docs"},
				{"docs/A", "Docs/A"},
				{"docs/a", "Docs/a"},
				{"docs/ÜBER", "Docs/u\u0308ber"},
				{"docs/10\uf02230", "Docs/10:30"},
				{"docs/CON", "Docs/con"},
				{"docs/" + strings.ToLower(Shown("con")), "Docs/con"},
				{"docs/" + strings.ToUpper(Shown("caf\xe9")), "Docs/caf\xe9"},
				{"docs/none", "[" + vfs.KindNotExist.String() + "]"},
				{"none/docs", "[" + vfs.KindPathNotExist.String() + "]"},
				{"docs/a/b", "[" + vfs.KindPathNotExist.String() + "]"},
				{".dozo", "[" + vfs.KindNotExist.String() + "]"},
				{".DOZO/secret", "[" + vfs.KindPathNotExist.String() + "]"},
			} {
				expect(t, "open "+tt.path, f.open(tt.path), tt.want)
			}
			expect(t, "open exactly", f.openExact("Docs/Letters"), "Docs/Letters")
			expect(t, "open exactly in another case", f.openExact("Docs/LETTERS"), "["+vfs.KindNotExist.String()+"]")
		}
		if got := f.list(""); !slices.Equal(got, []string{"Docs"}) {
			t.Errorf("the root lists %q", got)
		}
	})
}

func TestCreateRefusesAnotherCase(t *testing.T) {
	eachWay(t, func(t *testing.T, way Coherence) {
		dir := t.TempDir()
		put(t, dir, "d/File")
		f := fixtureIn(t, dir, Options{Coherence: way})
		exist := "[" + vfs.KindExist.String() + "]"
		expect(t, "create FILE", f.create("D/FILE"), exist)
		expect(t, "create other", f.create("D/Other"), "d/Other")
		expect(t, "create OTHER", f.create("d/OTHER"), exist)
		expect(t, "mkdir OTHER", f.mkdir("d/OTHER"), exist)
		expect(t, "mkdir", f.mkdir("d/Sub"), "d/Sub")
		expect(t, "create in it", f.create("D/SUB/x"), "d/Sub/x")
		expect(t, "create with a private character", f.create("d/sub/a\uf022b"), "d/Sub/a:b")
		expect(t, "create it again, plain", f.create("d/sub/A:B"), exist)
		expect(t, "create nowhere", f.create("d/none/x"), "["+vfs.KindPathNotExist.String()+"]")
		expect(t, "create the server's folder", f.mkdir(".Dozo"), "["+vfs.KindAccess.String()+"]")
		expect(t, "create the root", f.mkdir(""), exist)
		expect(t, "create ..", f.mkdir("d/\uf029\uf029"), "["+vfs.KindInvalidName.String()+"]")
		if got := f.list("d"); !slices.Equal(got, []string{"File", "Other", "Sub"}) {
			t.Errorf("d lists %q", got)
		}
		if _, err := os.Lstat(f.path("d/Sub/a:b")); err != nil {
			t.Error(err)
		}
	})
}

func TestRename(t *testing.T) {
	eachWay(t, func(t *testing.T, way Coherence) {
		exist := "[" + vfs.KindExist.String() + "]"
		dir := t.TempDir()
		put(t, dir, "d/a", "d/b", "d/sub/x", "e/")
		f := fixtureIn(t, dir, Options{Coherence: way})
		expect(t, "over another in another case", f.rename("d/a", "d/B", false), exist)
		expect(t, "case alone", f.rename("d/a", "d/A", false), "d/A")
		expect(t, "no change", f.rename("d/a", "d/A", false), "d/A")
		expect(t, "over another, replacing", f.rename("d/a", "d/B", true), "d/B")
		expect(t, "what was replaced", f.open("d/A"), "["+vfs.KindNotExist.String()+"]")
		expect(t, "a folder", f.rename("d/SUB", "E/Moved", false), "e/Moved")
		expect(t, "what is in it", f.open("e/moved/X"), "e/Moved/x")
		expect(t, "case of a folder", f.rename("e/moved", "e/MOVED", false), "e/MOVED")
		expect(t, "what is in it then", f.open("e/moved/X"), "e/MOVED/x")
		expect(t, "over a folder", f.rename("d/b", "e/moved", true), "["+vfs.KindIsDir.String()+"]")
		expect(t, "into itself", f.rename("e", "e/moved/e", false), "["+vfs.KindInvalid.String()+"]")
		expect(t, "the server's folder", f.rename("d/b", ".DOZO", false), "["+vfs.KindAccess.String()+"]")
		if got := f.list("d"); !slices.Equal(got, []string{"B"}) {
			t.Errorf("d lists %q", got)
		}
	})
}

func TestRenameOverALinkToTheSameFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a")
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	f := fixtureIn(t, dir, Options{})
	expect(t, "rename", f.rename("a", "B", true), "B")
	if got := f.list(""); !slices.Equal(got, []string{"B"}) {
		t.Errorf("left: %q", got)
	}
}

func TestLink(t *testing.T) {
	f := newFixture(t, Options{})
	f.create("File")
	f.create("Other")
	expect(t, "link", f.link("file", "Second", false), "File")
	expect(t, "over a name", f.link("file", "OTHER", false), "["+vfs.KindExist.String()+"]")
	expect(t, "over a name, replacing", f.link("file", "OTHER", true), "File")
	expect(t, "over itself", f.link("file", "second", true), "File")
	st, err := os.Stat(f.path("OTHER"))
	same, _ := os.Stat(f.path("File"))
	if err != nil || !os.SameFile(st, same) {
		t.Errorf("the link that replaced: %v", err)
	}
	if got := f.list(""); !slices.Equal(got, []string{"File", "OTHER", "Second"}) {
		t.Errorf("list %q", got)
	}
	f.create("Gone")
	got := f.change("gone", func(_ *Place, n *disk.Node) error {
		local(t, "rm "+f.path("Gone"))
		return f.Link(bg, nil, n, "third", false, false)
	})
	expect(t, "what has no name", got, "["+vfs.KindNotExist.String()+"]")
}

func TestRemoveChecksWhatIsThere(t *testing.T) {
	eachWay(t, func(t *testing.T, way Coherence) {
		dir := t.TempDir()
		put(t, dir, "a", "d/x", "e/")
		f := fixtureIn(t, dir, Options{Coherence: way})
		expect(t, "a folder that is not empty", f.remove("D"), "["+vfs.KindNotEmpty.String()+"]")
		expect(t, "an empty folder", f.remove("E"), "e")
		expect(t, "the root", f.remove(""), "["+vfs.KindBusy.String()+"]")

		n, p, err := f.Open(bg, nil, "A", disk.How{Flags: disk.Read}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		defer p.Release()
		local(t, "mv "+f.path("a")+" "+f.path("b"), "put "+f.path("a"))
		if err := f.Remove(bg, nil, p, n); !vfs.IsKind(err, vfs.KindNotExist) {
			t.Errorf("removing a name that is another's by now: %v", err)
		}
		if err := f.Rename(bg, nil, p, n, "c", false, false); !vfs.IsKind(err, vfs.KindNotExist) {
			t.Errorf("renaming a name that is another's by now: %v", err)
		}
		if got := f.list(""); !slices.Equal(got, []string{"a", "b", "d"}) {
			t.Errorf("list %q", got)
		}
	})
}

func TestPlacesFollowRenames(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a/b/file", "c/")
	f := fixtureIn(t, dir, Options{})
	n, p, err := f.Open(bg, nil, "A/B/FILE", disk.How{Flags: disk.Read}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	defer p.Release()
	n2, p2, err := f.Open(bg, nil, "a/b/file", disk.How{Flags: disk.Read}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer n2.Close()
	if p2 != p {
		t.Error("two Places of one name")
	}
	p2.Release()

	expect(t, "its folder", f.rename("a/b", "c/B2", false), "c/B2")
	expect(t, "path", p.Path(), "c/B2/file")
	if err := f.Rename(bg, nil, p, n, "c/b2/New", false, false); err != nil {
		t.Fatal(err)
	}
	expect(t, "path of a renamed file", p.Path(), "c/B2/New")
	local(t, "mv "+f.path("c")+" "+f.path("a/z"))
	expect(t, "found where a local process moved it", f.open("a/Z/b2/new"), "a/z/B2/New")
	expect(t, "path after a local move", p.Path(), "a/z/B2/New")
	if err := f.Remove(bg, nil, p, n); err != nil {
		t.Error(err)
	}
	if err := f.Remove(bg, nil, p, n); !vfs.IsKind(err, vfs.KindNotExist) {
		t.Errorf("second removal: %v", err)
	}
	expect(t, "path of what is gone", p.Path(), "a/z/B2/New")
}

func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "real/Deep/file")
	for name, target := range map[string]string{
		"plain": "real/deep", "up": "real/../REAL/Deep", "absolute": dir + "/real/Deep",
		"out": "../x", "outAbsolute": "/etc", "prefix": dir + "2/x", "loop1": "loop2", "loop2": "loop1",
		"dangling": "real/none", "real/back": "../real/Deep/file", "self": ".",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := fixtureIn(t, dir, Options{})
	for round := range 2 {
		for _, tt := range []struct{ path, want string }{
			{"PLAIN/file", "real/Deep/file"},
			{"plain", "real/Deep"},
			{"up/FILE", "real/Deep/file"},
			{"absolute/file", "real/Deep/file"},
			{"Absolute", "real/Deep"},
			{"self/self/real", "real"},
			{"self", ""},
			{"real/BACK", "real/Deep/file"},
			{"out", "[" + vfs.KindOutside.String() + "]"},
			{"out/y", "[" + vfs.KindOutside.String() + "]"},
			{"outAbsolute/passwd", "[" + vfs.KindOutside.String() + "]"},
			{"prefix", "[" + vfs.KindOutside.String() + "]"},
			{"loop1", "[" + vfs.KindLoop.String() + "]"},
			{"loop1/x", "[" + vfs.KindLoop.String() + "]"},
			{"dangling", "[" + vfs.KindNotExist.String() + "]"},
			{"dangling/x", "[" + vfs.KindPathNotExist.String() + "]"},
		} {
			expect(t, "open "+tt.path, f.open(tt.path), tt.want)
		}
		n, p, err := f.Open(bg, nil, "LOOP1", disk.How{Flags: disk.Read | disk.NoFollow}, false)
		expect(t, "the link itself", answer(p, n, err), "loop1")
		made := []string{"real/Deep/new", "[" + vfs.KindExist.String() + "]"}
		expect(t, "create through a link", f.create("plain/new"), made[round])
		expect(t, "create over a dangling link", f.create("DANGLING"), "["+vfs.KindExist.String()+"]")
	}
	n, p, err := f.Symlink(bg, nil, "made", "real/deep/FILE", false)
	expect(t, "make a link", answer(p, n, err), "made")
	expect(t, "follow it", f.open("MADE"), "real/Deep/file")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestLookupAndEntries(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/File", "d/sub/", "d/end.", "d/aux")
	f := fixtureIn(t, dir, Options{})
	n, p, err := f.Open(bg, nil, "D", disk.How{Flags: disk.Read | disk.Directory}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	defer p.Release()
	for range 2 {
		for _, tt := range []struct {
			name  string
			exact bool
			want  Entry
		}{
			{"FILE", false, Entry{"File", "File", vfs.TypeFile}},
			{"File", true, Entry{"File", "File", vfs.TypeFile}},
			{"FILE", true, Entry{}},
			{"SUB", false, Entry{"sub", "sub", vfs.TypeDir}},
			{"END\uf029", false, Entry{"end.", "end\uf029", vfs.TypeFile}},
			{Shown("aux"), false, Entry{"aux", Shown("aux"), vfs.TypeFile}},
			{"none", false, Entry{}},
		} {
			e, err := f.Lookup(bg, nil, p, tt.name, tt.exact)
			if tt.want == (Entry{}) {
				if !vfs.IsKind(err, vfs.KindNotExist) {
					t.Errorf("%q, exact %v: %v, %v", tt.name, tt.exact, e, err)
				}
			} else if e != tt.want || err != nil {
				t.Errorf("%q, exact %v: %v, %v; want %v", tt.name, tt.exact, e, err, tt.want)
			}
		}
		f.list("d") // builds the index
	}
	want := []Entry{{"File", "File", vfs.TypeFile}, {"aux", Shown("aux"), vfs.TypeFile}, {"end.", "end\uf029", vfs.TypeFile}, {"sub", "sub", vfs.TypeDir}}
	got := f.entries("d")
	slices.SortFunc(got, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	if !slices.Equal(got, want) {
		t.Errorf("entries %v", got)
	}
}

// TestPrivateAndPlainTwins has a name with a private character on disk, as
// older servers stored them, alone and beside the name it stands for.
func TestPrivateAndPlainTwins(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "10\uf02230")
	f := fixtureIn(t, dir, Options{})
	expect(t, "alone", f.open("10\uf02230"), "10\uf02230")
	expect(t, "alone, plain", f.open("10:30"), "10\uf02230")
	if got := f.list(""); !slices.Equal(got, []string{"10\uf02230"}) {
		t.Errorf("list %+q", got)
	}
	local(t, "put "+f.path("10:30"))
	shown := []string{"10\uf02230", alias("10\uf02230")}
	if got := f.list(""); !slices.Equal(got, shown) {
		t.Errorf("both list as %+q, want %+q", got, shown)
	}
	expect(t, "both, as a client sends it", f.open(shown[0]), "10:30")
	expect(t, "both, by alias", f.open(shown[1]), "10\uf02230")
}

func TestSensitive(t *testing.T) {
	f := newFixture(t, Options{Sensitive: true})
	expect(t, "create", f.create("file"), "file")
	expect(t, "create another case", f.create("FILE"), "FILE")
	expect(t, "open a third", f.open("File"), "["+vfs.KindNotExist.String()+"]")
	f.list("")
	local(t, "put "+f.path("FiLE"))
	expect(t, "open a local one", f.open("FiLE"), "FiLE")
	f.list("")
	if n := f.Stats().Clashes; n != 0 {
		t.Errorf("%d clashes are counted, of names that are different ones", n)
	}
}

func TestNewNamesGetTheDefaultCase(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		name string
		want string
	}{
		{Options{}, "MiXed", "MiXed"},
		{Options{ChangeCase: true}, "MiXed ÄÖ\u0130\xff.txt", "MiXed ÄÖ\u0130\xff.txt"}, // no text is left alone
		{Options{ChangeCase: true}, "MiXed ÄÖ\u0130.TXT", "mixed äö\u0130.txt"},
		{Options{ChangeCase: true, DefaultUpper: true}, "MiXed äß.txt", "MIXED ÄßTXT"[:8] + "ß.TXT"},
		{Options{ChangeShortCase: true}, "README.TXT", "readme.txt"},
		{Options{ChangeShortCase: true}, "ReadMe.txt", "ReadMe.txt"},
		{Options{ChangeShortCase: true}, "LONG NAME.TXT", "LONG NAME.TXT"},
	} {
		if got := tt.o.spell(tt.name); got != tt.want {
			t.Errorf("%+v: %q becomes %q, want %q", tt.o, tt.name, got, tt.want)
		} else if keyOf(normalizing, got) != keyOf(normalizing, tt.name) {
			t.Errorf("%q and %q are not one name", got, tt.name)
		}
	}
}

func TestCanceled(t *testing.T) {
	f := newFixture(t, Options{})
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, _, err := f.Create(ctx, nil, "x", disk.How{}, false); !vfs.IsKind(err, vfs.KindCanceled) {
		t.Error(err)
	}
	if exists(f.path("x")) {
		t.Error("made all the same")
	}
}

func TestFewDescriptors(t *testing.T) {
	f := newFixture(t, Options{Descriptors: NewDescriptors(8)})
	for i := range 100 {
		f.mkdir(fmt.Sprintf("d%d", i))
		f.mkdir(fmt.Sprintf("d%d/Sub", i))
		f.create(fmt.Sprintf("d%d/Sub/file", i))
	}
	open := 0
	for _, d := range f.allDirs() {
		if d.node != nil {
			open++
		}
	}
	if open > 20 {
		t.Errorf("%d folders are open", open)
	}
	for i := range 100 {
		want := fmt.Sprintf("d%d/Sub/file", i)
		expect(t, "open", f.open(strings.ToUpper(want)), want)
		expect(t, "create", f.create(fmt.Sprintf("D%d/SUB/FILE", i)), "["+vfs.KindExist.String()+"]")
	}
}
