package dozo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Own changes of directories are told from others' by the process alone, and
// package names drops them as known. So nobody else may make any in a share:
// one would be lost for good.

// changing are the calls on the disk that change a directory, and the flags by
// which Open does; harmless are all the others. A new one has to be put here.
var (
	changing = []string{"OpMkdir", "OpSymlink", "OpRemove", "OpRename", "OpLink", "Create", "Exclusive"}
	harmless = []string{"OpOpen", "OpReadlink", "OpStat", "OpHandle", "OpList", "OpRead", "OpWrite", "OpTruncate", "OpAllocate",
		"OpSeek", "OpSync", "OpGetXattr", "OpSetXattr", "OpDelXattr", "OpListXattr", "OpSetTimes", "OpChmod", "OpChown", "OpAccess",
		"OpLock", "OpSpace", "OpWatch", "OpClose", "Read", "Write", "Truncate", "Directory", "PathOnly", "NoFollow", "NoSymlinks"}
)

// besideShares are the packages that may change directories past the disk: they
// write to the state folder, which no share may overlap, or are no part of the
// running server.
var besideShares = []string{"cmd/dozo", "internal/bench", "internal/catalog", "internal/disk/crashdisk", "internal/private", "internal/service",
	"internal/state", "internal/status", "tests"}

// byDisk are those of them that do it through the disk, so that a test can take
// its power away.
var byDisk = []string{"internal/catalog", "internal/disk/crashdisk"}

// osChanges are functions of package os and methods of os.Root that change a
// directory.
var osChanges = []string{"Create", "CreateTemp", "OpenFile", "WriteFile", "Mkdir", "MkdirAll", "MkdirTemp", "Remove", "RemoveAll",
	"Rename", "Link", "Symlink", "CopyFS"}

// TestOnlyNamesChangesDirectories holds rule 5 of docs/names.md. It looks at
// what the compiler made of every package, not at the spelling of calls.
func TestOnlyNamesChangesDirectories(t *testing.T) {
	sources := listPackages(t)
	methods := directoryChanges(t, sources["internal/disk"])
	if len(methods) < 6 {
		t.Fatalf("only %q change directories", methods)
	}
	byNames := 0
	for dir, src := range sources {
		if dir == "internal/disk" {
			continue
		}
		for id, used := range src.check(t).Uses {
			where := src.files.Position(id.Pos())
			switch from := used.Pkg(); {
			case from == nil:
			case from.Path() == module+"/internal/disk":
				_, isConst := used.(*types.Const)
				if isConst && !slices.Contains(changing, used.Name()) || !isConst && !slices.Contains(methods, used.Name()) {
					continue
				}
				if dir == "internal/names" {
					byNames++
				} else if !strings.HasPrefix(used.Name(), "Op") && !slices.Contains(byDisk, dir) { // whose names tests and faults use
					t.Errorf("%s: disk.%s changes directories, which is for package names alone", where, used.Name())
				}
			case slices.ContainsFunc(besideShares, func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") }):
			case from.Path() == "os" && slices.Contains(osChanges, used.Name()):
				t.Errorf("%s: os.%s may change a directory of a share", where, used.Name())
			case from.Path() == "syscall", strings.HasSuffix(from.Path(), "/sys/unix"):
				_, call := used.(*types.Func)
				if call && slices.ContainsFunc([]string{"Mk", "Unlink", "Rmdir", "Rename", "Link", "Symlink", "Open", "Creat", "Syscall", "RawSyscall"},
					func(start string) bool { return strings.HasPrefix(used.Name(), start) }) {
					t.Errorf("%s: %s.%s calls the system, which is for package disk alone", where, from.Name(), used.Name())
				}
			}
		}
	}
	if byNames < len(methods) {
		t.Errorf("package names makes %d changes: the test sees nothing", byNames)
	}
}

// directoryChanges returns the exported functions of package disk that ask for
// one of the calls in changing.
func directoryChanges(t *testing.T, src *source) (found []string) {
	t.Helper()
	info := src.check(t)
	for id, made := range info.Defs {
		if c, ok := made.(*types.Const); ok && (strings.HasSuffix(c.Type().String(), "disk.Op") || strings.HasSuffix(c.Type().String(), "disk.Flags")) &&
			c.Exported() && !slices.Contains(changing, id.Name) && !slices.Contains(harmless, id.Name) {
			t.Errorf("disk.%s is neither among those that change directories nor among the others", id.Name)
		}
	}
	for _, file := range src.syntax {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "Op") && slices.Contains(changing, id.Name) {
					found = append(found, f.Name.Name)
				}
				return true
			})
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// source is a package of this module as it is compiled here.
type source struct {
	ImportPath, Dir, Export string
	GoFiles                 []string

	exports map[string]string // of all packages: where the compiler left what they export
	files   *token.FileSet
	syntax  []*ast.File
}

// listPackages compiles the module and returns its packages.
func listPackages(t *testing.T) map[string]*source {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	found, exports := map[string]*source{}, map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		src := &source{exports: exports, files: token.NewFileSet()}
		if err := d.Decode(src); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		exports[src.ImportPath] = src.Export
		if dir, ok := strings.CutPrefix(src.ImportPath+"/", module+"/"); ok {
			found[strings.TrimSuffix(dir, "/")] = src
		}
	}
}

// check tells what each identifier of the package stands for.
func (s *source) check(t *testing.T) *types.Info {
	t.Helper()
	s.syntax = nil
	for _, name := range s.GoFiles {
		file, err := parser.ParseFile(s.files, filepath.Join(s.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.syntax = append(s.syntax, file)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(s.exports[path]) }
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	c := types.Config{Importer: importer.ForCompiler(s.files, "gc", open)}
	if _, err := c.Check(s.ImportPath, s.files, s.syntax, info); err != nil {
		t.Fatal(err)
	}
	return info
}
