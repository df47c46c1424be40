package disk_test

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// root opens a fresh folder.
func root(t testing.TB) (*disk.Node, string) {
	t.Helper()
	dir := t.TempDir()
	n, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n, dir
}

// must returns v, or ends the test.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantKind(t testing.TB, what string, err error, kind vfs.Kind) {
	t.Helper()
	if !vfs.IsKind(err, kind) {
		t.Errorf("%s: error is %v, want %v", what, err, kind)
	}
}

func TestCreateWriteRead(t *testing.T) {
	r, dir := root(t)
	how := disk.How{Flags: disk.Read | disk.Write | disk.Create | disk.Exclusive, Mode: 0o640}
	f := must[*disk.Node](t)(r.Open(nil, "f", how))
	if k, err := f.WriteAt([]byte("hello"), 3); k != 5 || err != nil {
		t.Fatalf("WriteAt = %d, %v", k, err)
	}
	buf := make([]byte, 10)
	if k, err := f.ReadAt(buf, 0); k != 8 || err != io.EOF || string(buf[:k]) != "\x00\x00\x00hello" {
		t.Errorf("ReadAt = %d, %v, %q", k, err, buf[:k])
	}
	st := must[disk.Stat](t)(f.Stat())
	if st.Type != vfs.TypeFile || st.Size != 8 || st.Mode != 0o640 || st.Links != 1 || st.Changed.IsZero() {
		t.Errorf("Stat = %+v", st)
	}
	if _, err := r.Open(nil, "f", how); !vfs.IsKind(err, vfs.KindExist) {
		t.Errorf("exclusive create of what is there: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	wantKind(t, "second Close", f.Close(), vfs.KindClosed)
	_, err := f.ReadAt(buf, 0)
	wantKind(t, "ReadAt after Close", err, vfs.KindClosed)
	if b, err := os.ReadFile(filepath.Join(dir, "f")); string(b) != "\x00\x00\x00hello" {
		t.Errorf("on the disk: %q, %v", b, err)
	}
}

// TestCloseDuringReads would, with a descriptor closed too early, read the
// files that reuse its number.
func TestCloseDuringReads(t *testing.T) {
	r, _ := root(t)
	var right, wrong [4096]byte
	for i := range right {
		right[i], wrong[i] = 'r', 'w'
	}
	for name, data := range map[string][]byte{"right": right[:], "wrong": wrong[:]} {
		f := must[*disk.Node](t)(r.Open(nil, name, disk.How{Flags: disk.Write | disk.Create, Mode: 0o600}))
		must[int](t)(f.WriteAt(data, 0))
		f.Close()
	}
	for range 200 {
		f := must[*disk.Node](t)(r.Open(nil, "right", disk.How{}))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				buf := make([]byte, 4096)
				for {
					if _, err := f.ReadAt(buf, 0); err != nil {
						wantKind(t, "ReadAt", err, vfs.KindClosed)
						return
					}
					if string(buf) != string(right[:]) {
						t.Error("read another file's data")
						return
					}
				}
			})
		}
		f.Close()
		for range 3 {
			if g, err := r.Open(nil, "wrong", disk.How{}); err == nil {
				defer g.Close()
			}
		}
		wg.Wait()
	}
}
