package tests

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
)

// TestReadOnlyShareHasNoSideDoor tries to change a read-only share through
// every request that could.
func TestReadOnlyShareHasNoSideDoor(t *testing.T) {
	ownProgram(t)
	if exec.Command(systemPython, "-c", "import impacket").Run() != nil {
		missing(t, "python3-impacket is not installed")
	}
	dir := sharedDir(t)
	os.Chmod(dir, 0o777)
	s := serveFolder(t, dir, "--read-only")
	s.write("file", "untouched")
	os.Mkdir(s.path("folder"), 0o777)
	s.write("folder/inner", "untouched")
	before := fingerprint(t, dir)
	out, err := run(t, systemPython, "peers/sidedoors", fmt.Sprint(s.port), s.user, s.password, s.share)
	if err != nil || !strings.HasSuffix(out, "ok\n") {
		t.Errorf("sidedoors: %v\n%s", err, out)
	}
	if after := fingerprint(t, dir); after != before {
		t.Errorf("the share was\n%s\nand is now\n%s", before, after)
	}
}

// fingerprint tells all of a tree that a client could change.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		line := fmt.Sprintf("%s %v %d:%d links %d modified %v", path, info.Mode(), st.Uid, st.Gid, st.Nlink, info.ModTime())
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %q", data)
		}
		buf := make([]byte, 4096)
		if n, err := syscall.Listxattr(path, buf); err == nil {
			line += fmt.Sprintf(" xattrs %q", buf[:n])
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
