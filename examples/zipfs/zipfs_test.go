package zipfs_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dozo-server/dozo/examples/zipfs"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/vfstest"
)

var ctx = context.Background()

var modified = time.Date(1987, 1, 10, 20, 0, 0, 0, time.UTC)

// pack makes an archive of names, each followed by what the file holds; a name
// that ends with "/" is a folder.
func pack(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Deflate, Modified: modified})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, archive []byte) *zipfs.FS {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	return zipfs.New(r, "archive")
}

func TestReadOnly(t *testing.T) {
	vfstest.ReadOnly(t, open(t, pack(t, "f", "content")), "f")
}

func TestPaths(t *testing.T) {
	s := open(t, pack(t,
		"Films/Metropolis.txt", "1927",
		"films/m.txt", "the other films",
		"Films/M.TXT", "1931",
		"Films/m.txt", "1931, too",
		"empty/", "",
		"back\\slash.txt", "from Windows",
		"../outside", "x", "/root", "x", "a//b", "x",
		"empty", "a file with the name of a folder",
		"Films/Metropolis.txt/below", "x",
		"Films/Metropolis.txt", "a second one",
	))
	tests := []struct {
		path  string
		exact bool
		want  string // the path as it is stored, or the kind of error
	}{
		{path: "", want: ""},
		{path: "Films", want: "Films"},
		{path: "films", want: "films"},
		{path: "FILMS", want: "Films"},
		{path: "FILMS", exact: true, want: "[no such file or folder]"},
		{path: "films/metropolis.txt", want: "[no such file or folder]"},
		{path: "FILMS/METROPOLIS.TXT", want: "Films/Metropolis.txt"},
		{path: "Films/m.txt", want: "Films/m.txt"},
		{path: "Films/M.Txt", want: "Films/M.TXT"},
		{path: "BACK/SLASH.TXT", want: "back/slash.txt"},
		{path: "Empty", want: "empty"},
		{path: "outside", want: "[no such file or folder]"},
		{path: "root", want: "[no such file or folder]"},
		{path: "a", want: "[no such file or folder]"},
		{path: "none/below", want: "[no such folder on the way]"},
		{path: "Films/Metropolis.txt/below", want: "[no such folder on the way]"},
	}
	for _, tt := range tests {
		got := ""
		f, err := s.Open(ctx, nil, tt.path, vfs.OpenOptions{Access: vfs.ReadAttr, Exact: tt.exact})
		if err != nil {
			got = "[" + vfs.KindOf(err).String() + "]"
		} else {
			got = f.Path()
			f.Close()
		}
		if got != tt.want {
			t.Errorf("open %q (exact: %v) = %s, want %s", tt.path, tt.exact, got, tt.want)
		}
	}
	list(t, s, "Films", "Metropolis.txt M.TXT m.txt")
	list(t, s, "", "Films films empty back")
}

// list holds a listing in small pieces against the names that it should have.
func list(t *testing.T, s *zipfs.FS, path, want string) {
	t.Helper()
	f := openFor(t, s, path, vfs.ListDir)
	defer f.Close()
	l, err := f.List(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var names []string
	ids := map[uint64]bool{}
	for buf := make([]vfs.Entry, 2); ; {
		n, err := l.Next(ctx, buf, false)
		for _, e := range buf[:n] {
			names = append(names, e.Name)
			if e.Attr.ID < 17 || ids[e.Attr.ID] || !e.Attr.Modified.Equal(modified) {
				t.Errorf("attributes of %s: %+v", e.Name, e.Attr)
			}
			ids[e.Attr.ID] = true
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%q holds %s, want %s", path, got, want)
	}
}

func openFor(t testing.TB, s *zipfs.FS, path string, access vfs.Access) vfs.File {
	t.Helper()
	f, err := s.Open(ctx, nil, path, vfs.OpenOptions{Access: access})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReadsInAnyOrder has several readers of one open file, one of which closes it.
func TestReadsInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 10<<20)
	for i := 0; i < len(content); i += 4096 { // most of it can be packed
		for j := range 256 {
			content[i+j] = byte(random.Uint32())
		}
	}
	s := open(t, pack(t, "f", string(content)))
	f := openFor(t, s, "f", vfs.ReadData)
	read := func(p []byte, at int64) {
		n, err := f.ReadAt(ctx, p, at)
		want := content[min(at, int64(len(content))):min(at+int64(len(p)), int64(len(content)))]
		if !bytes.Equal(p[:n], want) || err != nil && err != io.EOF || (err == io.EOF) != (n < len(p)) {
			t.Errorf("read at %d: %d bytes, %v; want %d", at, n, err, len(want))
		}
	}
	for at := int64(0); at <= int64(len(content)); at += 1 << 20 { // to the end and beyond
		read(make([]byte, 1<<20), at)
	}
	var readers sync.WaitGroup
	for seed := range uint64(2) {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(3, seed))
			p := make([]byte, 1<<20)
			at := int64(0)
			for range 15 {
				// Mostly onward, a little back and forth, as from a client; seldom elsewhere.
				at += random.Int64N(2<<20) - 1<<19
				if random.IntN(15) == 0 {
					at = random.Int64N(int64(len(content)))
				}
				at = min(max(at, 0), int64(len(content))+10)
				read(p, at)
			}
		})
	}
	readers.Wait()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(ctx, make([]byte, 1), 0); !vfs.IsKind(err, vfs.KindClosed) {
		t.Errorf("a read after the close: %v", err)
	}
	if err := f.Close(); !vfs.IsKind(err, vfs.KindClosed) {
		t.Errorf("a second close: %v", err)
	}
}

// TestDamage: what the archive itself calls wrong is given out as an error, each
// time.
func TestDamage(t *testing.T) {
	content := strings.Repeat("all was well. ", 20_000)
	archive := pack(t, "f", content)
	archive[len(archive)/3] ^= 0x55
	f := openFor(t, open(t, archive), "f", vfs.ReadData)
	defer f.Close()
	for range 2 {
		_, err := f.ReadAt(ctx, make([]byte, len(content)), 0)
		if !vfs.IsKind(err, vfs.KindIO) {
			t.Errorf("a damaged file is read: %v", err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	g := openFor(t, open(t, pack(t, "f", content)), "f", vfs.ReadData)
	defer g.Close()
	if _, err := g.ReadAt(gone, make([]byte, 1), 0); !vfs.IsKind(err, vfs.KindCanceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("a read that nobody waits for: %v", err)
	}
}

func TestFoldersAreNotFiles(t *testing.T) {
	s := open(t, pack(t, "d/f", "x"))
	d := openFor(t, s, "d", vfs.ReadData)
	defer d.Close()
	if _, err := d.ReadAt(ctx, make([]byte, 1), 0); !vfs.IsKind(err, vfs.KindIsDir) {
		t.Errorf("a folder is read: %v", err)
	}
	e, err := d.Lookup(ctx, nil, "F", false)
	if err != nil || e.Name != "f" || e.Attr.Size != 1 {
		t.Errorf("Lookup = %+v, %v", e, err)
	}
	f := openFor(t, s, "d/f", vfs.ReadData)
	defer f.Close()
	if _, err := f.List(ctx, nil); !vfs.IsKind(err, vfs.KindNotDir) {
		t.Errorf("a file is listed: %v", err)
	}
	if f.Key() == d.Key() {
		t.Error("two nodes are one")
	}
}
