package faultdisk_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
	"github.com/dozo-server/dozo/vfs"
)

func open(t *testing.T) (*disk.Node, *faultdisk.Disk, string) {
	t.Helper()
	dir := t.TempDir()
	faults := faultdisk.New()
	r, err := disk.OpenRootWith(dir, faults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, faults, dir
}

func create(t *testing.T, r *disk.Node, name string) *disk.Node {
	t.Helper()
	f, err := r.Open(nil, name, disk.How{Flags: disk.Read | disk.Write | disk.Create, Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule faultdisk.Rule
		want []int // which of eight calls fail
	}{
		{"all", faultdisk.Rule{}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"after", faultdisk.Rule{After: 5}, []int{5, 6, 7}},
		{"times", faultdisk.Rule{After: 2, Times: 2}, []int{2, 3}},
		{"every", faultdisk.Rule{Every: 3}, []int{2, 5}},
		{"every, times", faultdisk.Rule{After: 1, Every: 2, Times: 2}, []int{2, 4}},
		{"another call", faultdisk.Rule{Op: disk.OpMkdir}, nil},
		{"another path", faultdisk.Rule{Path: "g*"}, nil},
		{"this path", faultdisk.Rule{Path: "?", Op: disk.OpStat, After: 7}, []int{7}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, faults, _ := open(t)
			f := create(t, r, "f")
			tt.rule.Errno = unix.EIO
			faults.Add(tt.rule)
			var failed []int
			for i := range 8 {
				if _, err := f.Stat(); vfs.IsKind(err, vfs.KindIO) {
					failed = append(failed, i)
				} else if err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(failed, tt.want) {
				t.Errorf("failed: %v, want %v", failed, tt.want)
			}
		})
	}
}

func TestPathsAreFromTheRoot(t *testing.T) {
	r, faults, _ := open(t)
	if err := r.Mkdir(nil, "d", 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := r.Open(nil, "d", disk.How{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	faults.Add(faultdisk.Rule{Path: "d/f", Errno: unix.EACCES})
	if _, err := d.Open(nil, "f", disk.How{Flags: disk.Create}); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("d/f: %v", err)
	}
	create(t, r, "f")
	create(t, d, "g")
}

// TestShortWritesAreWhole moves a few bytes a call: the caller must not notice.
func TestShortWritesAreWhole(t *testing.T) {
	r, faults, dir := open(t)
	f := create(t, r, "f")
	faults.Add(faultdisk.Rule{Op: disk.OpWrite, Limit: 7})
	faults.Add(faultdisk.Rule{Op: disk.OpRead, Limit: 11})
	data := bytes.Repeat([]byte("0123456789"), 10)
	if n, err := f.WriteAt(data, 5); n != 100 || err != nil {
		t.Fatalf("WriteAt = %d, %v", n, err)
	}
	got := make([]byte, 100)
	if n, err := f.ReadAt(got, 5); n != 100 || err != nil || !bytes.Equal(got, data) {
		t.Errorf("ReadAt = %d, %v, %q", n, err, got)
	}
	if c := faults.Calls(); c[disk.OpWrite] != 15 || c[disk.OpRead] != 10 {
		t.Errorf("calls: %v", c)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "f")); len(b) != 105 {
		t.Errorf("%d bytes on the disk", len(b))
	}
}

func TestFullDiskTellsTheCount(t *testing.T) {
	r, faults, dir := open(t)
	f := create(t, r, "f")
	faults.SetRoom(60)
	n, err := f.WriteAt(make([]byte, 100), 0)
	if n != 60 || !vfs.IsKind(err, vfs.KindNoSpace) {
		t.Errorf("WriteAt = %d, %v", n, err)
	}
	if st, _ := os.Stat(filepath.Join(dir, "f")); st.Size() != 60 {
		t.Errorf("%d bytes on the disk", st.Size())
	}
	faults.Reset()
	if n, err := f.WriteAt(make([]byte, 100), 0); n != 100 || err != nil {
		t.Errorf("WriteAt after Reset = %d, %v", n, err)
	}
}
