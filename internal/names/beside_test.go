package names

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// startsWithFork is what makes a file the second of a pair here.
func startsWithFork(n *disk.Node, name string) bool {
	f, err := n.Open(nil, name, disk.How{Flags: disk.Read | disk.NoFollow})
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, 4)
	k, _ := f.ReadAt(b, 0)
	return string(b[:k]) == "fork"
}

// besideTree has files and what stands beside them, each with its content.
var besideTree = map[string]string{
	"a/x": "x", "a/._x": "fork of x",
	"a/y": "y", "a/._y": "fork of y",
	"a/plain": "plain",
	"a/own":   "own", "a/._own": "a user's own",
	"a/._alone": "fork of nobody",
	"b/x":       "x in b", "b/._x": "fork of x in b",
	"b/._y": "a user's own",
}

func TestPairsStayTogether(t *testing.T) {
	gone := func(paths ...string) func(map[string]string) {
		return func(m map[string]string) {
			for _, p := range paths {
				delete(m, p)
			}
		}
	}
	moved := func(pairs ...string) func(map[string]string) {
		return func(m map[string]string) {
			for i := 0; i < len(pairs); i += 2 {
				m[pairs[i+1]] = m[pairs[i]]
				delete(m, pairs[i])
			}
		}
	}
	both := func(f ...func(map[string]string)) func(map[string]string) {
		return func(m map[string]string) {
			for _, g := range f {
				g(m)
			}
		}
	}
	for _, test := range []struct {
		name string
		do   func(f *fixture) string
		want func(m map[string]string)
	}{
		{"remove", func(f *fixture) string { return f.remove("a/x") }, gone("a/x", "a/._x")},
		{"remove what has nothing beside it", func(f *fixture) string { return f.remove("a/plain") }, gone("a/plain")},
		{"remove beside a user's own file", func(f *fixture) string { return f.remove("a/own") }, gone("a/own")},
		{"remove the second alone", func(f *fixture) string { return f.remove("a/._x") }, gone("a/._x")},
		{"rename", func(f *fixture) string { return f.rename("a/x", "a/z", false) }, moved("a/x", "a/z", "a/._x", "a/._z")},
		{"rename to another case", func(f *fixture) string { return f.rename("a/x", "a/X", false) }, moved("a/x", "a/X", "a/._x", "a/._X")},
		{"rename to the same", func(f *fixture) string { return f.rename("a/x", "a/x", true) }, gone()},
		{"rename into another folder", func(f *fixture) string { return f.rename("a/x", "b/z", false) }, moved("a/x", "b/z", "a/._x", "b/._z")},
		{"replace", func(f *fixture) string { return f.rename("a/x", "b/x", true) }, moved("a/x", "b/x", "a/._x", "b/._x")},
		{"replace by what has nothing beside it", func(f *fixture) string { return f.rename("a/plain", "a/X", true) },
			both(gone("a/._x", "a/x"), moved("a/plain", "a/X"))},
		{"a rename that is refused", func(f *fixture) string { f.rename("a/x", "b/x", false); return "a/x" }, gone()},
		{"rename to where a user's own file is in the way", func(f *fixture) string { return f.rename("a/y", "b/y", false) }, moved("a/y", "b/y")},
		{"rename to what was left alone", func(f *fixture) string { return f.rename("a/plain", "a/alone", false) }, moved("a/plain", "a/alone")},
		{"rename over what was left alone", func(f *fixture) string { return f.rename("a/x", "a/alone", false) },
			moved("a/x", "a/alone", "a/._x", "a/._alone")},
		{"rename to a name that is too long for a second", func(f *fixture) string { return f.rename("a/x", "a/"+strings.Repeat("n", 254), false) },
			moved("a/x", "a/"+strings.Repeat("n", 254))},
		{"rename a folder", func(f *fixture) string { return f.rename("b", "a/b", false) },
			moved("b/x", "a/b/x", "b/._x", "a/b/._x", "b/._y", "a/b/._y")},
	} {
		for _, how := range []string{"indexed", "not indexed", "fingerprints"} {
			dir := t.TempDir()
			for path, content := range besideTree {
				os.Mkdir(filepath.Join(dir, filepath.Dir(path)), 0o755)
				if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			o := Options{Beside: startsWithFork}
			if how == "fingerprints" {
				o.Budget = budget.New(1)
			}
			f := fixtureIn(t, dir, o)
			if how != "not indexed" {
				f.open("a/missing")
				f.open("b/missing")
			}
			if got := test.do(f); strings.HasPrefix(got, "[") {
				t.Errorf("%s, %s: %s", test.name, how, got)
			}
			want := map[string]string{}
			for path, content := range besideTree {
				want[path] = content
			}
			test.want(want)
			for path, content := range want {
				if b, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(b) != content {
					t.Errorf("%s, %s: %s holds %q, %v, want %q", test.name, how, path, b, err, content)
				}
			}
			listed, there := []string{}, 0
			for _, folder := range []string{"a", "b", "a/b"} {
				entries, err := os.ReadDir(filepath.Join(dir, folder))
				if err != nil {
					continue
				}
				for _, e := range entries {
					if !e.IsDir() {
						there++
					}
				}
				for _, name := range f.list(folder) {
					listed = append(listed, folder+"/"+name)
				}
			}
			if there != len(want) {
				t.Errorf("%s, %s: %d files are there, want %d", test.name, how, there, len(want))
			}
			for path, content := range want {
				first := strings.Replace(path, "._", "", 1)
				hidden := first != path && strings.HasPrefix(content, "fork") && want[first] != ""
				if slices.Contains(listed, path) == hidden {
					t.Errorf("%s, %s: %s is listed: %v", test.name, how, path, !hidden)
				}
			}
		}
	}
}

// Two names of a file may have two names of one fork beside them. Renaming one over the
// other takes a name of both away.
func TestRenameOverAnotherLinkOfAPair(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		dir := t.TempDir()
		for name, further := range map[string]string{"x": "y", "._x": "._y"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("fork"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(filepath.Join(dir, name), filepath.Join(dir, further)); err != nil {
				t.Fatal(err)
			}
		}
		f := fixtureIn(t, dir, Options{Beside: startsWithFork})
		if indexed {
			f.open("missing")
		}
		if got := f.rename("x", "y", true); got != "y" {
			t.Fatal(got)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
			t.Errorf("indexed %v: left are %v, %v", indexed, left, err)
		}
	}
}

func TestMakeBeside(t *testing.T) {
	f := newFixture(t, Options{Beside: startsWithFork})
	f.create("File")
	fill := func(content string) func(n *disk.Node) error {
		return func(n *disk.Node) error {
			_, err := n.WriteAt([]byte(content), 0)
			return err
		}
	}
	got := f.change("file", func(p *Place, n *disk.Node) error {
		if _, err := f.OpenBeside(bg, p, disk.Read); !vfs.IsKind(err, vfs.KindNotExist) {
			t.Errorf("open of nothing: %v", err)
		}
		broken := vfs.NewError("fill", "", vfs.KindNoSpace, nil)
		if _, err := f.MakeBeside(bg, p, n, 0o600, func(*disk.Node) error { return broken }); !vfs.IsKind(err, vfs.KindNoSpace) {
			t.Errorf("a file that could not be filled: %v", err)
		}
		if _, err := os.Stat(filepath.Join(f.dir, "._File")); err == nil {
			t.Error("it stayed")
		}
		made, err := f.MakeBeside(bg, p, n, 0o600, fill("fork"))
		if err != nil {
			return err
		}
		made.Close()
		if _, err := f.MakeBeside(bg, p, n, 0o600, fill("again")); !vfs.IsKind(err, vfs.KindExist) {
			t.Errorf("a second one: %v", err)
		}
		opened, err := f.OpenBeside(bg, p, disk.Read)
		if err != nil {
			return err
		}
		opened.Close()
		return f.RemoveBeside(bg, p)
	})
	if got != "File" {
		t.Fatal(got)
	}
	if got, err := os.ReadDir(f.dir); err != nil || len(got) != 1 {
		t.Errorf("left are %v, %v", got, err)
	}
}

func TestOwnFolder(t *testing.T) {
	f := newFixture(t, Options{})
	o := f.Own()
	if _, err := o.List("s"); !vfs.IsKind(err, vfs.KindNotExist) && !vfs.IsKind(err, vfs.KindPathNotExist) {
		t.Errorf("list of nothing: %v", err)
	}
	made := 0
	count := func(*disk.Node) error { made++; return nil }
	for range 2 {
		if err := o.Mkdir("s/t", count); err != nil {
			t.Fatal(err)
		}
	}
	if made != 3 {
		t.Errorf("%d folders were made", made)
	}
	n, err := o.Create("s/t/new")
	if err != nil {
		t.Fatal(err)
	}
	n.Close()
	if _, err := o.Create("s/t/new"); !vfs.IsKind(err, vfs.KindExist) {
		t.Errorf("a second create: %v", err)
	}
	if err := o.Rename("s/t/new", "old"); err != nil {
		t.Fatal(err)
	}
	if got, err := o.List("s/t"); err != nil || !slices.Equal(got, []string{"old"}) {
		t.Errorf("listed are %q, %v", got, err)
	}
	if err := o.Remove("s/t", true); !vfs.IsKind(err, vfs.KindNotEmpty) {
		t.Errorf("removal of a folder that holds something: %v", err)
	}
	if err := o.Remove("s/t/old", false); err != nil {
		t.Fatal(err)
	}
	if err := o.Remove("s/t", true); err != nil {
		t.Fatal(err)
	}
	if got := f.list(""); len(got) != 0 {
		t.Errorf("clients see %q", got)
	}
	if got := f.create(".dozo"); got != "[access denied]" {
		t.Errorf("a client makes it: %s", got)
	}

	// Nobody is led astray by a link in its place.
	g := newFixture(t, Options{})
	if err := os.Symlink(f.dir, filepath.Join(g.dir, ".dozo")); err != nil {
		t.Fatal(err)
	}
	if err := g.Own().Mkdir("s", count); err == nil {
		t.Error("a symbolic link was followed")
	}
}
