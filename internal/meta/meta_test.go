package meta_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

const (
	ro, hidden, archive = vfs.DOSReadOnly, vfs.DOSHidden, vfs.DOSArchive
	file, dir, link     = vfs.TypeFile, vfs.TypeDir, vfs.TypeSymlink
)

func TestNothingIsStoredAboutOrdinaryNodes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		typ    vfs.Type
		dos    vfs.DOSAttr // of a new node
		stored bool
		shows  vfs.DOSAttr
	}{
		{"f", file, archive, false, archive},
		{"f", file, 0, true, 0},
		{"f", file, hidden | archive, true, hidden | archive},
		{"f", file, ro | archive, true, ro | archive},
		{"d", dir, 0, false, vfs.DOSDirectory},
		{"d", dir, vfs.DOSDirectory, false, vfs.DOSDirectory},
		{"d", dir, archive, true, archive | vfs.DOSDirectory},
		{".f", file, archive, false, hidden | archive},
		{".f", file, hidden | archive, false, hidden | archive},
		{".f", file, ro | archive, true, ro | hidden | archive},
		{".d", dir, 0, false, hidden | vfs.DOSDirectory},
		{"l", link, 0, false, vfs.DOSReparse},
	} {
		i := meta.New(tt.dos, tt.name, tt.typ)
		if i.Stored != tt.stored || i.DOSOf(tt.name, tt.typ) != tt.shows {
			t.Errorf("new %s (type %d) with %#x: stored %v, shows %#x", tt.name, tt.typ, tt.dos, i.Stored, i.DOSOf(tt.name, tt.typ))
		}
	}
}

func TestClientsDecideAboutHidden(t *testing.T) {
	shown := meta.Info{}.WithDOS(archive, ".f", file)
	if !shown.Stored || shown.DOSOf(".f", file) != archive {
		t.Errorf("unhidden: %+v shows %#x", shown, shown.DOSOf(".f", file))
	}
	back := shown.WithDOS(archive|hidden, ".f", file)
	if back.Stored || back.DOSOf(".f", file) != archive|hidden {
		t.Errorf("hidden again: %+v", back)
	}
	// The attribute that a name gives goes with the name.
	ro := meta.Info{}.WithDOS(ro|hidden, ".f", file)
	if got := ro.DOSOf("f", file); got != vfs.DOSReadOnly {
		t.Errorf("after a rename without the dot: %#x", got)
	}
	// Samba stores "not hidden" for every new file and hides it by its name.
	samba := meta.Info{Stored: true, DOS: archive}
	if got := samba.DOSOf(".f", file); got != archive|hidden {
		t.Errorf("a dot file from Samba: %#x", got)
	}
}

func TestBirth(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2001, 1, n, 0, 0, 0, 0, time.UTC) }
	st := disk.Stat{Birth: day(5), Modified: day(4), Changed: day(6), Accessed: day(3)}
	if got := (meta.Info{}).BirthOf(&st); !got.Equal(day(5)) {
		t.Errorf("the file system's: %v", got)
	}
	stored := meta.Info{}.WithBirth(day(9), file)
	if got := stored.BirthOf(&st); !got.Equal(day(9)) {
		t.Errorf("stored: %v", got)
	}
	st.Birth = time.Time{}
	if got := (meta.Info{}).BirthOf(&st); !got.Equal(day(3)) {
		t.Errorf("none: %v", got)
	}
	if got := stored.DOSOf("f", file); got != archive {
		t.Errorf("a birth changed the attributes to %#x", got)
	}
	if got := stored.WithDOS(archive, "f", file); !got.Stored || !got.Birth.Equal(day(9)) {
		t.Errorf("ordinary attributes took the birth away: %+v", got)
	}
}

func TestSettled(t *testing.T) {
	c := time.Date(2026, 1, 1, 0, 0, 0, 1, time.UTC)
	whole := c.Truncate(time.Second)
	for _, tt := range []struct {
		changed time.Time
		after   time.Duration
		want    bool
	}{
		{c, 0, false},
		{c, 19 * time.Millisecond, false},
		{c, 21 * time.Millisecond, true},
		{c, -time.Hour, false}, // a change in the future
		{whole, time.Second, false},
		{whole, 3 * time.Second, true},
	} {
		if got := meta.Settled(tt.changed, tt.changed.Add(tt.after)); got != tt.want {
			t.Errorf("changed at %v, looked %v later: %v", tt.changed, tt.after, got)
		}
	}
}

// open opens a fresh folder that holds the file f and the folder d.
func open(t *testing.T, faults disk.Faults) (*disk.Node, string) {
	t.Helper()
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(path, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := disk.OpenRootWith(path, faults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, path
}

func TestReadAndWrite(t *testing.T) {
	r, path := open(t, nil)
	if err := unix.Setxattr(path, "user.dozo.probe", []byte("x"), 0); err != nil {
		t.Skip("no extended attributes here:", err)
	}
	birth := time.Date(1999, 12, 31, 23, 59, 59, 999_999_900, time.UTC)
	for name, typ := range map[string]vfs.Type{"f": file, "d": dir} {
		n, err := r.Open(nil, name, disk.How{Flags: disk.PathOnly})
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		want := meta.Info{}
		for _, want = range []meta.Info{
			{},
			meta.New(hidden|ro, name, typ),
			meta.New(hidden, name, typ).WithBirth(birth, typ),
			{},
		} {
			if err := want.Write(n, typ); err != nil {
				t.Fatal(err)
			}
			for way, read := range map[string]func() (meta.Info, error){
				"Read":   func() (meta.Info, error) { return meta.Read(n) },
				"ReadAt": func() (meta.Info, error) { return meta.ReadAt(r, name) },
			} {
				got, err := read()
				if err != nil || got.Stored != want.Stored || got.DOS != want.DOS || !got.Birth.Equal(want.Birth) {
					t.Errorf("%s %s = %+v, %v; want %+v", way, name, got, err, want)
				}
			}
		}
	}
	if err := os.Symlink("f", filepath.Join(path, "l")); err != nil {
		t.Fatal(err)
	}
	if got, err := meta.ReadAt(r, "l"); got.Stored || err != nil {
		t.Errorf("ReadAt of a symbolic link = %+v, %v", got, err)
	}
}

func TestReadOnBrokenDisks(t *testing.T) {
	for errno, ok := range map[unix.Errno]bool{
		unix.EOPNOTSUPP: true, unix.E2BIG: true, unix.EACCES: true, unix.EIO: false, unix.ENOENT: false,
	} {
		faults := faultdisk.New()
		r, _ := open(t, faults)
		faults.Add(faultdisk.Rule{Op: disk.OpGetXattr, Errno: errno})
		if got, err := meta.ReadAt(r, "f"); got.Stored || (err == nil) != ok {
			t.Errorf("%v: %+v, %v", errno, got, err)
		}
	}
}
