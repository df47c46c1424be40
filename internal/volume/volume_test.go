package volume

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/vfstest"
)

func TestMain(m *testing.M) {
	disk.ClearUmask()
	os.Exit(m.Run())
}

var ctx = context.Background()

// folder makes a folder that every account reaches.
func tempFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dozo-volume")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string, o Options) *Volume {
	t.Helper()
	v, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// linking is a Volume on which the suite can make symbolic links.
type linking struct{ *Volume }

func (l linking) Symlink(path, target string) error {
	n, p, err := l.tree.Symlink(ctx, l.owner.cred, path, target, false)
	if err == nil {
		p.Release()
		n.Close()
	}
	return err
}

func without() (w []vfstest.Without) {
	if !disk.CanAct() {
		w = append(w, vfstest.Callers)
	}
	return w
}

func TestConformance(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS { return linking{open(t, tempFolder(t), Options{})} }, without()...)
}

func TestConformanceCaseSensitive(t *testing.T) {
	o := Options{}
	o.Names.Sensitive = true
	vfstest.Run(t, func(t *testing.T) vfs.FS { return linking{open(t, tempFolder(t), o)} }, without()...)
}

// spawn makes changes as another process.
func spawn(t testing.TB, script, dir string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}
