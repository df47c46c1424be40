package vfstest

import (
	"fmt"

	"github.com/dozo-server/dozo/vfs"
)

// numbered are the tests of an FS that is a vfs.Numbered.
var numbered = []conformance{
	{"Numbers", testNumbers},
	{"NumbersEnd", testNumbersEnd},
	{"NumbersTogether", testNumbersTogether},
}

func (t *tree) numbered() vfs.Numbered { return t.fs.(vfs.Numbered) }

// number returns the numbers of what stands at a path.
func (t *tree) number(path string) vfs.Number {
	t.Helper()
	f, err := t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{})
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	defer f.Close()
	n, err := t.numbered().Number(ctx, t.caller, f)
	if err != nil {
		t.Fatalf("number of %s: %v", path, err)
	}
	return n
}

// wantFound fails the test unless a number leads to path.
func (t *tree) wantFound(number uint32, path string) {
	t.Helper()
	if got, err := t.numbered().Find(ctx, t.caller, number); err != nil || got != path {
		t.Errorf("number %d leads to %q, %v; want %q", number, got, err, path)
	}
}

// testNumbers sees that numbers are found again, and stay over renames.
func testNumbers(t *tree) {
	fs := t.numbered()
	t.build("a/b/f", "a/g", "h")
	if got := t.number(""); got != (vfs.Number{Node: vfs.RootNumber, Parent: vfs.ParentOfRoot}) {
		t.Errorf("the root has %+v", got)
	}
	t.wantFound(vfs.RootNumber, "")
	seen := map[uint32]string{}
	a := t.number("a")
	for path, parent := range map[string]uint32{"a": vfs.RootNumber, "a/b": a.Node, "a/g": a.Node, "h": vfs.RootNumber} {
		n := t.number(path)
		if n.Node < vfs.FirstNumber || n.Parent != parent || seen[n.Node] != "" {
			t.Errorf("%s has %+v, as has %q; its parent has %d", path, n, seen[n.Node], parent)
		}
		seen[n.Node] = path
		t.wantFound(n.Node, path)
	}
	f := t.number("a/b/f")
	b := t.open("a/b")
	if _, err := t.fs.Rename(ctx, t.caller, b, "c", false); err != nil {
		t.Fatal(err)
	}
	t.close(b)
	t.wantFound(f.Node, "c/f")
	if got := t.number("c/f"); got != f {
		t.Errorf("after a rename above it a file has %+v, had %+v", got, f)
	}
	if got := t.number("c"); got.Parent != vfs.RootNumber || got.Node != f.Parent {
		t.Errorf("after its rename a folder has %+v, had %d", got, f.Parent)
	}
	dir := t.openDir("c")
	defer dir.Close()
	entries := append(t.list(dir, 10), vfs.Entry{Name: "none"})
	numbers := []uint32{1, 1}
	if err := fs.NumberEntries(ctx, t.caller, dir, entries, numbers); err != nil || numbers[0] != f.Node || numbers[1] != 0 {
		t.Errorf("the entries %v have %d, %v; want %d and 0", entries, numbers, err, f.Node)
	}
}

// testNumbersEnd sees that no number is given twice.
func testNumbersEnd(t *tree) {
	fs := t.numbered()
	seen := map[uint32]bool{}
	for i := range 100 {
		t.build("f")
		n := t.number("f").Node
		if seen[n] {
			t.Fatalf("file %d has the number %d of an earlier one", i, n)
		}
		seen[n] = true
		f := t.open("f")
		if err := t.fs.Remove(ctx, t.caller, f); err != nil {
			t.Fatal(err)
		}
		t.close(f)
		if path, err := fs.Find(ctx, t.caller, n); !vfs.IsKind(err, vfs.KindNotExist) {
			t.Fatalf("number %d leads to %q, %v", n, path, err)
		}
	}
}

// testNumbersTogether numbers the same entries at once by many.
func testNumbersTogether(t *tree) {
	fs := t.numbered()
	for i := range 50 {
		t.build(fmt.Sprint("d/", i))
	}
	results := make(chan []uint32)
	dir := t.openDir("d")
	defer dir.Close()
	entries := t.list(dir, 100)
	for range 4 {
		go func() {
			numbers := make([]uint32, len(entries))
			if err := fs.NumberEntries(ctx, t.caller, dir, entries, numbers); err != nil {
				t.Error(err)
			}
			results <- numbers
		}()
	}
	first := <-results
	for range 3 {
		for i, n := range <-results {
			if n != first[i] || n < vfs.FirstNumber {
				t.Errorf("%s has the numbers %d and %d", entries[i].Name, n, first[i])
			}
		}
	}
}
