// Package vfstest is the conformance suite of vfs.FS. An FS passes it by a test
// of its own:
//
//	func TestConformance(t *testing.T) {
//		vfstest.Run(t, func(t *testing.T) vfs.FS { return memfs.New() })
//	}
//
// What an FS can't do at all, such as hard links, it says in its Features or
// with a Without; everything else must be as package vfs has it.
package vfstest

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// Symlinker is implemented by an FS under test on which symbolic links can be
// made. Without it the tests of symbolic links are skipped.
type Symlinker interface {
	// Symlink makes a symbolic link at path that holds target.
	Symlink(path, target string) error
}

// Without names what an FS under test can't do although vfs asks for it.
type Without uint8

// What can be left out.
const (
	Callers Without = iota + 1 // rights of other accounts, for a process that can't act as them
	Sparse                     // holes that take no room
	Birth                      // setting the time of birth
)

// conformance is a test that an FS must pass.
type conformance struct {
	name string
	test func(*tree)
}

// Run tests the FS that fresh returns. fresh is called for every test and
// returns an FS that holds its root only.
func Run(t *testing.T, fresh func(t *testing.T) vfs.FS, without ...Without) {
	tests := []conformance{
		{"Paths", testPaths},
		{"Open", testOpen},
		{"Create", testCreate},
		{"CreateExact", testCreateExact},
		{"Names", testNames},
		{"CaseInsensitive", testCaseInsensitive},
		{"Rename", testRename},
		{"RenameCase", testRenameCase},
		{"RenameReplace", testRenameReplace},
		{"RenameFolder", testRenameFolder},
		{"Link", testLink},
		{"Remove", testRemove},
		{"RemoveStaleName", testRemoveStaleName},
		{"ReadWrite", testReadWrite},
		{"RandomIO", testRandomIO},
		{"LargeFile", testLargeFile},
		{"SparseTruncate", testSparseTruncate},
		{"Allocate", testAllocate},
		{"Identity", testIdentity},
		{"Attr", testAttr},
		{"SetAttr", testSetAttr},
		{"Times", testTimes},
		{"TimesMove", testTimesMove},
		{"List", testList},
		{"ListChanging", testListChanging},
		{"Lookup", testLookup},
		{"Streams", testStreams},
		{"StreamKeys", testStreamKeys},
		{"StreamNames", testStreamNames},
		{"StreamRename", testStreamRename},
		{"StreamsFollow", testStreamsFollow},
		{"StreamSizes", testStreamSizes},
		{"StreamsTogether", testStreamsTogether},
		{"StreamsClear", testStreamsClear},
		{"StreamRights", testStreamRights},
		{"StreamsRacing", testStreamsRacing},
		{"Mac", testMac},
		{"ResourceFork", testResourceFork},
		{"ForkLinks", testForkLinks},
		{"ListedMacs", testListedMacs},
		{"Space", testSpace},
		{"Symlinks", testSymlinks},
		{"FollowedLinks", testFollowedLinks},
		{"LinksAreNames", testLinksAreNames},
		{"LinkRights", testLinkRights},
		{"Rights", testRights},
		{"Closed", testClosed},
		{"CloseWhileUsed", testCloseWhileUsed},
		{"RacingCreators", testRacingCreators},
		{"RacingRenames", testRacingRenames},
		{"ListWhileChanging", testListWhileChanging},
	}
	if _, ok := fresh(t).(vfs.Numbered); ok {
		tests = append(tests, numbered...)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.test(&tree{T: t, fs: fresh(t), fresh: fresh, without: without})
		})
	}
}

// tree is an FS under test, with what makes tests short: everything that fails
// unexpectedly ends the test.
type tree struct {
	*testing.T
	fs      vfs.FS
	caller  *vfs.Caller // nil: the FS's owner
	fresh   func(t *testing.T) vfs.FS
	without []Without
}

var ctx = context.Background()

// lacks reports whether the FS can do without w.
func (t *tree) lacks(w Without) bool { return slices.Contains(t.without, w) }

// build makes what each line says: "a/b/" a folder, "a/f" a file that holds
// its path, "a/l => x" a symbolic link that holds x. Folders on the way are
// made as well.
func (t *tree) build(lines ...string) {
	t.Helper()
	for _, line := range lines {
		path, target, isLink := strings.Cut(line, " => ")
		folder, isDir := strings.CutSuffix(path, "/")
		for i := range folder {
			if folder[i] == '/' {
				t.mkdir(folder[:i])
			}
		}
		switch {
		case isLink:
			if err := t.fs.(Symlinker).Symlink(path, target); err != nil {
				t.Fatalf("symlink %s: %v", path, err)
			}
		case isDir:
			t.mkdir(folder)
		default:
			f := t.create(path)
			t.write(f, path, 0)
			t.close(f)
		}
	}
}

func (t *tree) mkdir(path string) {
	t.Helper()
	f, err := t.fs.Create(ctx, t.caller, path, vfs.CreateOptions{Directory: true, Access: vfs.ReadAttr})
	if vfs.IsKind(err, vfs.KindExist) {
		return
	}
	if err != nil {
		t.Fatalf("mkdir %s: %v", path, err)
	}
	t.close(f)
}

func (t *tree) create(path string) vfs.File {
	t.Helper()
	f, err := t.fs.Create(ctx, t.caller, path, vfs.CreateOptions{Access: everything})
	if err != nil {
		t.Fatalf("create %s: %v", path, err)
	}
	return f
}

// everything is what the owner of a new file may do with it.
const everything = vfs.ReadData | vfs.WriteData | vfs.AppendData | vfs.ReadXattr | vfs.WriteXattr |
	vfs.ReadAttr | vfs.WriteAttr | vfs.Delete | vfs.ReadControl | vfs.Synchronize

func (t *tree) open(path string) vfs.File {
	t.Helper()
	f, err := t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{Access: everything, NoFollow: true})
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return f
}

func (t *tree) openDir(path string) vfs.File {
	t.Helper()
	f, err := t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{Access: vfs.ListDir | vfs.ReadAttr | vfs.Traverse})
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return f
}

func (t *tree) close(f vfs.File) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatalf("close %s: %v", f.Path(), err)
	}
}

func (t *tree) write(f vfs.File, s string, off int64) {
	t.Helper()
	if n, err := f.WriteAt(ctx, []byte(s), off); n != len(s) || err != nil {
		t.Fatalf("write %s: %d of %d bytes, %v", f.Path(), n, len(s), err)
	}
}

// content returns all bytes of f.
func (t *tree) content(f vfs.File) string {
	t.Helper()
	b := make([]byte, t.attr(f).Size+1)
	n, err := f.ReadAt(ctx, b, 0)
	if !errors.Is(err, io.EOF) {
		t.Fatalf("read %s to its end: %d bytes, %v", f.Path(), n, err)
	}
	return string(b[:n])
}

func (t *tree) attr(f vfs.File) vfs.Attr {
	t.Helper()
	a, err := f.Attr(ctx)
	if err != nil {
		t.Fatalf("attr %s: %v", f.Path(), err)
	}
	return a
}

func (t *tree) set(f vfs.File, s vfs.SetAttr) {
	t.Helper()
	if err := f.SetAttr(ctx, t.caller, s); err != nil {
		t.Fatalf("setattr %s: %v", f.Path(), err)
	}
}

// names returns the names in a folder, sorted.
func (t *tree) names(path string) []string {
	t.Helper()
	f := t.openDir(path)
	defer f.Close()
	var names []string
	for _, e := range t.list(f, 100) {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return names
}

// list returns all entries of a folder, asking for n at a time.
func (t *tree) list(f vfs.File, n int) []vfs.Entry {
	t.Helper()
	l, err := f.List(ctx, t.caller)
	if err != nil {
		t.Fatalf("list %s: %v", f.Path(), err)
	}
	defer l.Close()
	var all []vfs.Entry
	for buf := make([]vfs.Entry, n); ; {
		n, err := l.Next(ctx, buf, false)
		all = append(all, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("list %s: %v", f.Path(), err)
		}
		if n == 0 {
			t.Fatalf("list %s: neither entries nor EOF", f.Path())
		}
	}
}

// exists reports whether there is something at path, in any spelling that
// compares equal.
func (t *tree) exists(path string) bool {
	t.Helper()
	f, err := t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{NoFollow: true})
	if err == nil {
		f.Close()
		return true
	}
	if !vfs.IsKind(err, vfs.KindNotExist) && !vfs.IsKind(err, vfs.KindPathNotExist) {
		t.Fatalf("open %s: %v", path, err)
	}
	return false
}

// want fails the test unless err is of one of the kinds.
func (t *tree) want(what string, err error, kinds ...vfs.Kind) {
	t.Helper()
	for _, k := range kinds {
		if vfs.IsKind(err, k) {
			return
		}
	}
	t.Errorf("%s: got %v, want %v", what, err, kinds)
}
