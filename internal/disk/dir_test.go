package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// build makes a tree from lines such as "a/", "f", "a => b", "l == f".
func build(t testing.TB, dir string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		var err error
		if link, to, ok := strings.Cut(line, " => "); ok {
			err = os.Symlink(strings.ReplaceAll(to, "ROOT", dir), filepath.Join(dir, link))
		} else if link, to, ok := strings.Cut(line, " == "); ok {
			err = os.Link(filepath.Join(dir, to), filepath.Join(dir, link))
		} else if name, ok := strings.CutSuffix(line, "/"); ok {
			err = os.MkdirAll(filepath.Join(dir, name), 0o755)
		} else {
			err = os.WriteFile(filepath.Join(dir, line), []byte(line), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// leads are paths in the tree of TestNothingLeadsOut.
var leads = []struct {
	path  string
	flags disk.Flags
	kind  vfs.Kind // of the error; KindInternal: none
	holds string   // content
}{
	{path: "f", holds: "share/f"},
	{path: "near", holds: "share/d/g"},
	{path: "d/inner", holds: "share/f"},
	{path: "dir/g", holds: "share/d/g"},
	{path: "d/../f", holds: "share/f"},
	{path: "..", kind: vfs.KindOutside},
	{path: "../secret", kind: vfs.KindOutside},
	{path: "d/../../secret", kind: vfs.KindOutside},
	{path: "/etc/passwd", kind: vfs.KindOutside},
	{path: "up", kind: vfs.KindOutside},
	{path: "abs", kind: vfs.KindOutside},
	{path: "d/upup", kind: vfs.KindOutside},
	{path: "out/secret", kind: vfs.KindOutside},
	{path: "out/share/f", kind: vfs.KindOutside},
	{path: "d/around", kind: vfs.KindOutside},
	{path: "loop", kind: vfs.KindLoop},
	{path: "dangling", kind: vfs.KindNotExist},
	{path: "f\x00g", kind: vfs.KindInvalid},
	{path: "near", flags: disk.NoFollow, kind: vfs.KindLoop},
	{path: "dir/g", flags: disk.NoFollow, holds: "share/d/g"},
	{path: "dir/g", flags: disk.NoSymlinks, kind: vfs.KindLoop},
	{path: "up", flags: disk.NoFollow | disk.Create | disk.Write, kind: vfs.KindLoop},
	{path: "up", flags: disk.Create | disk.Write, kind: vfs.KindOutside},
	{path: "dangling", flags: disk.Create | disk.Exclusive | disk.Write, kind: vfs.KindExist},
	{path: "f", flags: disk.Directory, kind: vfs.KindNotDir},
	{path: "f/g", kind: vfs.KindNotDir},
	{path: "d", flags: disk.Write, kind: vfs.KindIsDir},
	{path: "none", kind: vfs.KindNotExist},
	{path: strings.Repeat("n", 300), kind: vfs.KindNameTooLong},
	{path: strings.Repeat("d/../", 400) + "f", holds: "share/f"},
}

func TestNothingLeadsOut(t *testing.T) {
	outer := t.TempDir()
	build(t, outer, "secret", "share/", "share/d/", "share/f", "share/d/g",
		"share/up => ../secret", "share/abs => ROOT/secret", "share/d/upup => ../../secret",
		"share/out => ..", "share/d/inner => ../f", "share/near => d/g", "share/loop => loop",
		"share/dangling => nowhere", "share/dir => d", "share/d/around => ../d/../../share/f")
	r := must[*disk.Node](t)(disk.OpenRoot(filepath.Join(outer, "share")))
	defer r.Close()

	for way, open := range ways {
		t.Run(way, func(t *testing.T) {
			for _, tt := range leads {
				n, err := open(r, nil, tt.path, disk.How{Flags: tt.flags, Mode: 0o600})
				if tt.kind != vfs.KindInternal {
					wantKind(t, "Open "+tt.path, err, tt.kind)
					if err == nil {
						n.Close()
					}
					continue
				}
				if err != nil {
					t.Errorf("Open %s: %v", tt.path, err)
					continue
				}
				buf := make([]byte, 64)
				k, _ := n.ReadAt(buf, 0)
				if string(buf[:k]) != tt.holds {
					t.Errorf("Open %s is %q, want %q", tt.path, buf[:k], tt.holds)
				}
				n.Close()
			}
		})
	}
}

func TestNamesAreSingleComponents(t *testing.T) {
	r, dir := root(t)
	build(t, dir, "d/", "f")
	for _, name := range []string{"", ".", "..", "d/x", "../x", "/x", "x\x00y"} {
		wantKind(t, "Mkdir", r.Mkdir(nil, name, 0o755), vfs.KindInvalidName)
		wantKind(t, "Symlink", r.Symlink(nil, "to", name), vfs.KindInvalidName)
		wantKind(t, "Remove", r.Remove(nil, name, false), vfs.KindInvalidName)
		wantKind(t, "Rename from", r.Rename(nil, name, r, "y", false), vfs.KindInvalidName)
		wantKind(t, "Rename to", r.Rename(nil, "f", r, name, false), vfs.KindInvalidName)
		wantKind(t, "Link", r.Link(nil, "f", r, name), vfs.KindInvalidName)
		_, err := r.StatAt(name)
		wantKind(t, "StatAt", err, vfs.KindInvalidName)
		_, err = r.HandleAt(name)
		wantKind(t, "HandleAt", err, vfs.KindInvalidName)
	}
}

func TestChangesOfFolders(t *testing.T) {
	r, dir := root(t)
	build(t, dir, "f", "g", "full/", "full/x")
	check := func(what string, err error, kind vfs.Kind) {
		t.Helper()
		if kind == vfs.KindInternal && err != nil || kind != vfs.KindInternal && !vfs.IsKind(err, kind) {
			t.Errorf("%s: %v", what, err)
		}
	}
	const ok = vfs.KindInternal
	check("mkdir", r.Mkdir(nil, "d", 0o700), ok)
	check("mkdir again", r.Mkdir(nil, "d", 0o700), vfs.KindExist)
	d := must[*disk.Node](t)(r.Open(nil, "d", disk.How{Flags: disk.Directory}))
	defer d.Close()
	check("rename without replace", r.Rename(nil, "f", r, "g", true), vfs.KindExist)
	check("rename into d", r.Rename(nil, "f", d, "f", true), ok)
	check("rename over", r.Rename(nil, "g", d, "f", false), ok)
	check("rename of nothing", r.Rename(nil, "g", d, "x", false), vfs.KindNotExist)
	check("link", d.Link(nil, "f", r, "h"), ok)
	check("link again", d.Link(nil, "f", r, "h"), vfs.KindExist)
	check("link of a folder", r.Link(nil, "d", r, "d2"), vfs.KindAccess)
	check("remove a full folder", r.Remove(nil, "full", true), vfs.KindNotEmpty)
	check("remove a folder as a file", r.Remove(nil, "full", false), vfs.KindIsDir)
	check("remove a file as a folder", r.Remove(nil, "h", true), vfs.KindNotDir)
	check("remove", r.Remove(nil, "h", false), ok)
	check("symlink", r.Symlink(nil, "../anywhere", "l"), ok)
	if to, err := r.Readlink(nil, "l"); to != "../anywhere" || err != nil {
		t.Errorf("Readlink = %q, %v", to, err)
	}
	l := must[*disk.Node](t)(r.Open(nil, "l", disk.How{Flags: disk.PathOnly | disk.NoFollow}))
	defer l.Close()
	if to, err := l.ReadlinkSelf(); to != "../anywhere" || err != nil {
		t.Errorf("ReadlinkSelf = %q, %v", to, err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "d/f")); string(b) != "g" {
		t.Errorf("d/f holds %q", b)
	}
	f := must[*disk.Node](t)(d.Open(nil, "f", disk.How{}))
	defer f.Close()
	check("remove below an open file", d.Remove(nil, "f", false), ok)
	check("link of an open file without a name", f.LinkNode(nil, r, "back"), vfs.KindNotExist)
	check("link of an open file", must[*disk.Node](t)(r.Open(nil, "full/x", disk.How{})).LinkNode(nil, r, "y"), ok)
	if b, _ := os.ReadFile(filepath.Join(dir, "y")); string(b) != "full/x" {
		t.Errorf("y holds %q", b)
	}
}

func TestReadDir(t *testing.T) {
	r, dir := root(t)
	want := map[string]vfs.Type{"d": vfs.TypeDir, "l": vfs.TypeSymlink}
	build(t, dir, "d/", "l => d")
	for i := range 500 {
		name := strings.Repeat("n", 100) + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		build(t, dir, name)
		want[name] = vfs.TypeFile
	}
	n := must[*disk.Node](t)(r.OpenList(nil))
	defer n.Close()

	read := func() (names []string, places []int64) {
		seen := map[string]bool{}
		for buf := make([]byte, 4096); ; {
			d, done, err := n.ReadDir(buf)
			if err != nil {
				t.Fatal(err)
			}
			if done {
				return names, places
			}
			for e, ok := d.Next(); ok; e, ok = d.Next() {
				name := string(e.Name)
				if e.Type != want[name] && e.Type != 0 || want[name] == 0 || e.Ino == 0 || seen[name] {
					t.Errorf("entry %q: type %v, inode %d, seen %v", name, e.Type, e.Ino, seen[name])
				}
				seen[name] = true
				names, places = append(names, name), append(places, e.Next)
			}
		}
	}
	names, places := read()
	if len(names) != len(want) {
		t.Errorf("%d entries, want %d", len(names), len(want))
	}
	for _, i := range []int{0, 7, 333, len(names) - 1} {
		if err := n.SeekDir(places[i]); err != nil {
			t.Fatal(err)
		}
		if rest, _ := read(); strings.Join(rest, "|") != strings.Join(names[i+1:], "|") {
			t.Errorf("after entry %d: %d entries, want %d", i, len(rest), len(names)-i-1)
		}
	}
	f := must[*disk.Node](t)(r.Open(nil, names[0], disk.How{Flags: disk.PathOnly}))
	defer f.Close()
	if _, _, err := f.ReadDir(make([]byte, 4096)); err == nil {
		t.Error("ReadDir of a file succeeded")
	}
}
