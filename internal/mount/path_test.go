package mount_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo/internal/mount"
)

func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"/srv/films", "/srv/films", true},
		{"/srv", "/srv/films", true},
		{"/", "/srv", true},
		{"/srv/films", "/srv/films-old", false},
		{"/srv/films", "/srv/music", false},
	} {
		if mount.Overlap(tt.a, tt.b) != tt.want || mount.Overlap(tt.b, tt.a) != tt.want {
			t.Errorf("%s and %s overlap: %v", tt.a, tt.b, !tt.want)
		}
	}
}

func TestRealPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "disk"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("disk", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"disk":            "disk",
		"link":            "disk",
		"link/absent/too": "disk/absent/too",
		"absent":          "absent",
	} {
		got, err := mount.RealPath(dir + "/" + path)
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s is %s, %v; want %s", path, got, err, want)
		}
	}
}
