package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// TestFolds holds what is said of the disks of this machine against what they
// do.
func TestFolds(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "/dev/shm"} {
		at, err := os.MkdirTemp(dir, "folds")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(at) })
		r, err := disk.OpenRoot(at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		for _, name := range []string{"file", "\u00e9", "stra\u00dfe"} {
			if err := os.WriteFile(filepath.Join(at, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		said := r.Folds()
		for _, name := range []string{"FILE", "\u00c9", "e\u0301", "strasse"} {
			if _, err := r.StatAt(name); said == disk.FoldsNot && !vfs.IsKind(err, vfs.KindNotExist) {
				t.Errorf("%s is said not to fold, and %s is there: %v", at, name, err)
			}
		}
	}
}

// TestFoldsOfAPlace asks where the system can't be asked.
func TestFoldsOfAPlace(t *testing.T) {
	r, _ := root(t)
	n, err := r.Open(nil, ".", disk.How{Flags: disk.PathOnly | disk.Directory})
	if err != nil {
		t.Fatal(err)
	}
	if said := n.Folds(); said != r.Folds() && said != disk.FoldsUntold {
		t.Errorf("of the place %d, of the folder %d", said, r.Folds())
	}
	n.Close()
	if said := n.Folds(); said != disk.FoldsUntold {
		t.Errorf("when it was closed: %d", said)
	}
}
