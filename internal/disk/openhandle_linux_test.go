package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

func TestOpenHandle(t *testing.T) {
	dir := t.TempDir()
	root, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := root.HandleAt("f")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	n, err := root.OpenHandle(h)
	switch vfs.KindOf(err) {
	case vfs.KindAccess, vfs.KindUnsupported:
		t.Skipf("not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	st, err := n.Stat()
	if again, handleErr := n.Handle(); err != nil || handleErr != nil || st.Size != 7 || again != h {
		t.Errorf("opened %+v, %v with the handle %v, %v", st, err, again, handleErr)
	}
	n.Close()
	if err := os.Remove(path + "2"); err != nil {
		t.Fatal(err)
	}
	if n, err := root.OpenHandle(h); !vfs.IsKind(err, vfs.KindStale) {
		t.Errorf("open of what is gone: %v, %v", n, err)
	}
}
