package vfstest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// kinds are the outcomes that are right. None at all stands for success.
type kinds []vfs.Kind

var (
	success  = kinds(nil)
	exist    = kinds{vfs.KindExist}
	missing  = kinds{vfs.KindNotExist}
	noPath   = kinds{vfs.KindPathNotExist}
	outside  = kinds{vfs.KindOutside}
	loop     = kinds{vfs.KindLoop}
	anyError = kinds(vfs.Kinds())
)

// pathCases say, for a tree and a path, how each operation on the path ends.
var pathCases = []struct {
	name string
	tree []string
	path string
	fold bool // for a case-insensitive FS only

	open   kinds // to look at the attributes
	read   kinds // to read data; nil stands for what open is
	link   kinds // opening a symbolic link itself
	create kinds // a file or a folder
	move   kinds // renaming a file to it, without replacing; making a hard link
	over   kinds // renaming a file to it, replacing
}{
	{
		name: "file", tree: []string{"f"}, path: "f",
		create: exist, move: exist,
	},
	{
		name: "file in a folder", tree: []string{"a/b/c/f"}, path: "a/b/c/f",
		create: exist, move: exist,
	},
	{
		name: "folder", tree: []string{"d/"}, path: "d",
		create: exist, move: exist, over: kinds{vfs.KindIsDir, vfs.KindExist},
	},
	{
		name: "folder that holds something", tree: []string{"d/f"}, path: "d",
		create: exist, move: exist, over: kinds{vfs.KindIsDir, vfs.KindExist},
	},
	{
		name: "root", path: "",
		create: exist, move: exist, over: kinds{vfs.KindIsDir, vfs.KindExist},
	},
	{
		name: "missing", tree: []string{"f"}, path: "x",
		open: missing, link: missing,
	},
	{
		name: "missing in a folder", tree: []string{"a/b/"}, path: "a/b/x",
		open: missing, link: missing,
	},
	{
		name: "missing folder", tree: []string{"a/"}, path: "a/x/y",
		open: noPath, link: noPath, create: noPath, move: noPath, over: noPath,
	},
	{
		name: "below a file", tree: []string{"f"}, path: "f/x",
		open: noPath, link: noPath, create: noPath, move: noPath, over: noPath,
	},
	{
		name: "far below a file", tree: []string{"a/f"}, path: "a/f/x/y/z",
		open: noPath, link: noPath, create: noPath, move: noPath, over: noPath,
	},
	{
		name: "other case", tree: []string{"Dir/File"}, path: "dIR/fILE", fold: true,
		create: exist, move: exist,
	},
	{
		name: "folder in other case", tree: []string{"Dir/"}, path: "DIR/x", fold: true,
		open: missing, link: missing,
	},
	{
		name: "name too long", path: strings.Repeat("x", 300),
		open: kinds{vfs.KindNameTooLong, vfs.KindNotExist}, link: kinds{vfs.KindNameTooLong, vfs.KindNotExist},
		create: kinds{vfs.KindNameTooLong}, move: kinds{vfs.KindNameTooLong}, over: kinds{vfs.KindNameTooLong},
	},
	{
		name: "folder's name too long", path: strings.Repeat("x", 300) + "/x",
		open: kinds{vfs.KindNameTooLong, vfs.KindPathNotExist}, link: kinds{vfs.KindNameTooLong, vfs.KindPathNotExist},
		create: kinds{vfs.KindNameTooLong, vfs.KindPathNotExist},
		move:   kinds{vfs.KindNameTooLong, vfs.KindPathNotExist},
		over:   kinds{vfs.KindNameTooLong, vfs.KindPathNotExist},
	},
	{
		name: "NUL", path: "a\x00b",
		open: kinds{vfs.KindInvalidName, vfs.KindNotExist}, link: kinds{vfs.KindInvalidName, vfs.KindNotExist},
		create: kinds{vfs.KindInvalidName}, move: kinds{vfs.KindInvalidName}, over: kinds{vfs.KindInvalidName},
	},
	{
		name: "link to a file", tree: []string{"f", "l => f"}, path: "l",
		create: exist, move: exist,
	},
	{
		name: "link to a folder", tree: []string{"d/", "l => d"}, path: "l",
		create: exist, move: exist,
	},
	{
		name: "through a link", tree: []string{"d/f", "l => d"}, path: "l/f",
		create: exist, move: exist,
	},
	{
		name: "missing behind a link", tree: []string{"d/", "l => d"}, path: "l/x",
		open: missing, link: missing,
	},
	{
		name: "link up and down", tree: []string{"a/b/l => ../../c/f", "c/f"}, path: "a/b/l",
		create: exist, move: exist,
	},
	{
		name: "link to a link", tree: []string{"f", "k => f", "l => k"}, path: "l",
		create: exist, move: exist,
	},
	{
		name: "link to nothing", tree: []string{"l => x"}, path: "l",
		read: missing, create: exist, move: exist,
	},
	{
		name: "link to nothing in a folder that is missing", tree: []string{"l => x/y"}, path: "l",
		read: missing, create: exist, move: exist,
	},
	{
		name: "through a link to nothing", tree: []string{"l => x"}, path: "l/y",
		open: noPath, link: noPath, create: noPath, move: noPath, over: noPath,
	},
	{
		name: "through a link to a file", tree: []string{"f", "l => f"}, path: "l/y",
		open: noPath, link: noPath, create: noPath, move: noPath, over: noPath,
	},
	{
		name: "link out of the tree", tree: []string{"l => .."}, path: "l",
		read: missing, create: exist, move: exist,
	},
	{
		name: "link out of the tree and back", tree: []string{"d/l => ../../d", "d/"}, path: "d/l",
		read: missing, create: exist, move: exist,
	},
	{
		name: "absolute link", tree: []string{"l => /"}, path: "l",
		read: missing, create: exist, move: exist,
	},
	{
		name: "through a link out of the tree", tree: []string{"l => .."}, path: "l/x",
		open: outside, link: outside, create: outside, move: outside, over: outside,
	},
	{
		name: "through an absolute link", tree: []string{"l => /tmp"}, path: "l/x",
		open: outside, link: outside, create: outside, move: outside, over: outside,
	},
	{
		name: "link to itself", tree: []string{"l => l"}, path: "l",
		read: missing, create: exist, move: exist,
	},
	{
		name: "through a circle", tree: []string{"k => l", "l => k"}, path: "k/x",
		open: loop, link: loop, create: loop, move: loop, over: loop,
	},
}

// testPaths walks pathCases, each operation on a tree of its own.
func testPaths(t *tree) {
	toRead := func(i int) kinds {
		if pathCases[i].read != nil {
			return pathCases[i].read
		}
		return pathCases[i].open
	}
	operations := []struct {
		name string
		want func(i int) kinds
		do   func(t *tree, path string) error
	}{
		{"open", func(i int) kinds { return pathCases[i].open }, func(t *tree, path string) error {
			return closed(t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{Access: vfs.ReadAttr}))
		}},
		{"openToRead", toRead, func(t *tree, path string) error {
			return closed(t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{Access: vfs.ReadData}))
		}},
		{"openLink", func(i int) kinds { return pathCases[i].link }, func(t *tree, path string) error {
			return closed(t.fs.Open(ctx, t.caller, path, vfs.OpenOptions{Access: vfs.ReadAttr, NoFollow: true}))
		}},
		{"createFile", func(i int) kinds { return pathCases[i].create }, func(t *tree, path string) error {
			return closed(t.fs.Create(ctx, t.caller, path, vfs.CreateOptions{Access: vfs.WriteData}))
		}},
		{"createFolder", func(i int) kinds { return pathCases[i].create }, func(t *tree, path string) error {
			return closed(t.fs.Create(ctx, t.caller, path, vfs.CreateOptions{Access: vfs.ListDir, Directory: true}))
		}},
		{"rename", func(i int) kinds { return pathCases[i].move }, func(t *tree, path string) error {
			return t.moveTo(path, false)
		}},
		{"replace", func(i int) kinds { return pathCases[i].over }, func(t *tree, path string) error {
			return t.moveTo(path, true)
		}},
		{"hardLink", func(i int) kinds { return pathCases[i].move }, func(t *tree, path string) error {
			if !t.fs.Features().HardLinks {
				t.Skip("the FS has no hard links")
			}
			f := t.create("hard link source")
			defer f.Close()
			return t.fs.Link(ctx, t.caller, f, path, false)
		}},
	}
	for i, c := range pathCases {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(tt *testing.T) {
			for _, op := range operations {
				t := &tree{T: tt, fs: t.fresh(tt), caller: t.caller}
				if c.fold && t.fs.Features().CaseSensitive {
					t.Skip("the FS is case-sensitive")
				}
				if strings.Contains(fmt.Sprint(c.tree), "=>") && !t.canLink() {
					t.Skip("no symbolic links can be made")
				}
				t.build(c.tree...)
				err := op.do(t, c.path)
				if want := op.want(i); want != nil {
					t.want(op.name, err, want...)
				} else if err != nil {
					t.Errorf("%s: %v", op.name, err)
				}
			}
		})
	}
}

func (t *tree) canLink() bool {
	_, ok := t.fs.(Symlinker)
	return ok && t.fs.Features().Symlinks
}

// moveTo renames a new file to path and sees that it arrived.
func (t *tree) moveTo(path string, replace bool) error {
	f := t.create("moved file")
	defer f.Close()
	stored, err := t.fs.Rename(ctx, t.caller, f, path, replace)
	if err != nil {
		if !t.exists("moved file") {
			t.Errorf("the rename to %s failed and yet took the file away", path)
		}
		return err
	}
	if t.exists("moved file") {
		t.Errorf("the rename to %s left the old name", path)
	}
	if got := f.Path(); got != stored {
		t.Errorf("Rename said %q, Path says %q", stored, got)
	}
	return nil
}

// closed closes what an open returned.
func closed(f vfs.File, err error) error {
	if err == nil {
		err = f.Close()
	}
	return err
}
