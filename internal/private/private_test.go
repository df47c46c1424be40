package private_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dozo-server/dozo/internal/private"
)

// What leads elsewhere is refused, or replaced, and what is there stays as it was.
func TestNothingGoesThroughALink(t *testing.T) {
	dir := t.TempDir()
	precious, pipe := filepath.Join(t.TempDir(), "precious"), filepath.Join(dir, "pipe")
	must(t, os.WriteFile(precious, []byte("precious"), 0o640))
	must(t, syscall.Mkfifo(pipe, 0o600))
	theirs(t, dir)
	for name, target := range map[string]string{"link": precious, "dangling": precious + " to be", "folder": dir, "to pipe": pipe} {
		path := filepath.Join(dir, name)
		must(t, os.Symlink(target, path))
		if f, err := private.Open(path); !errors.Is(err, private.ErrNoFile) {
			t.Errorf("Open of %s: %v, %v", name, f, err)
		}
		if f, err := private.OpenLock(path); !errors.Is(err, private.ErrNoFile) {
			t.Errorf("OpenLock of %s: %v, %v", name, f, err)
		}
		must(t, private.Replace(path, []byte("mine")))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
			t.Errorf("%s was not replaced by a file: %v, %v", name, info, err)
		}
	}
	for _, path := range []string{pipe, dir} {
		if _, err := private.Open(path); !errors.Is(err, private.ErrNoFile) {
			t.Errorf("Open of %s: %v", path, err)
		}
	}
	text, err := os.ReadFile(precious)
	info, _ := os.Stat(precious)
	if err != nil || string(text) != "precious" || info.Mode().Perm() != 0o640 || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		t.Errorf("the file beyond the link is %q, %v, %v", text, info, err)
	}
	if _, err := os.Lstat(precious + " to be"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made beyond a link: %v", err)
	}
}

// A file that is there keeps its owner, and a new one is its folder's owner's.
func TestOpenLock(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	must(t, os.WriteFile(there, []byte("process"), 0o600))
	owner := theirs(t, dir)
	for path, want := range map[string]int{there: os.Geteuid(), filepath.Join(dir, "new"): owner} {
		f, err := private.OpenLock(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v of %d, want it of %d; %v", path, info.Mode(), info.Sys().(*syscall.Stat_t).Uid, want, err)
		}
		f.Close()
	}
	f, err := private.Open(there)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "process" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// theirs makes a folder that of another account, where that is possible, and
// returns whose it is.
func theirs(t *testing.T, dir string) int {
	t.Helper()
	if os.Geteuid() != 0 {
		return os.Geteuid()
	}
	const other = 5
	must(t, os.Chown(dir, other, other))
	return other
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
