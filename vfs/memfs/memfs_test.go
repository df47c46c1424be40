package memfs_test

import (
	"context"
	"testing"
	"time"

	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
	"github.com/dozo-server/dozo/vfs/vfstest"
)

var ctx = context.Background()

func TestConformance(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS { return memfs.New() })
}

func TestConformanceCaseSensitive(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS { return memfs.New(memfs.CaseSensitive()) })
}

func TestNoSpace(t *testing.T) {
	const room = 10 << 20
	vfstest.NoSpace(t, memfs.New(memfs.Limit(room)), room)
}

func TestReadOnly(t *testing.T) {
	s := memfs.New()
	f := create(t, s, "f")
	if _, err := f.WriteAt(ctx, []byte("content"), 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	s.SetReadOnly(true)
	vfstest.ReadOnly(t, s, "f")
}

func TestRoomOfRemovedFilesComesBack(t *testing.T) {
	s := memfs.New(memfs.Limit(1 << 20))
	for range 100 {
		f := create(t, s, "f")
		if _, err := f.WriteAt(ctx, make([]byte, 600<<10), 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(ctx, nil, f); err != nil {
			t.Fatal(err)
		}
		if free := space(t, s, f).Free; free > 500<<10 {
			t.Fatalf("%d bytes free while the file is open", free)
		}
		f.Close()
	}
	root, err := s.Open(ctx, nil, "", vfs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if free := space(t, s, root).Free; free != 1<<20 {
		t.Errorf("%d bytes free at the end", free)
	}
}

func TestReservedRoomIsCharged(t *testing.T) {
	s := memfs.New(memfs.Limit(1 << 20))
	f, g := create(t, s, "f"), create(t, s, "g")
	if err := f.Allocate(ctx, 1<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := g.WriteAt(ctx, []byte("x"), 0); !vfs.IsKind(err, vfs.KindNoSpace) {
		t.Errorf("write beside a reservation of everything: %v", err)
	}
	if n, err := f.WriteAt(ctx, make([]byte, 1<<20), 0); err != nil {
		t.Errorf("write into the reservation: %d, %v", n, err)
	}
	if err := f.Truncate(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := g.WriteAt(ctx, []byte("x"), 0); err != nil {
		t.Errorf("write after the reservation ended: %v", err)
	}
}

func TestClock(t *testing.T) {
	now := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	s := memfs.New(memfs.Clock(func() time.Time { return now }))
	f := create(t, s, "f")
	now = now.Add(time.Hour)
	if _, err := f.WriteAt(ctx, []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	a, err := f.Attr(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Modified.Equal(now) || !a.Birth.Equal(now.Add(-time.Hour)) {
		t.Errorf("Modified %v, Birth %v", a.Modified, a.Birth)
	}
}

// Names that Windows can't spell, and lone surrogates, are names like others.
func TestOddNames(t *testing.T) {
	s := memfs.New()
	for _, name := range []string{`a:b\c`, "?*<>|\"", "ends. ", "CON", "\x01", "\xed\xa0\x80", "\xff"} {
		create(t, s, name).Close()
		f, err := s.Open(ctx, nil, name, vfs.OpenOptions{Exact: true})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if f.Path() != name {
			t.Errorf("%q is stored as %q", name, f.Path())
		}
		f.Close()
	}
}

func create(t *testing.T, s vfs.FS, path string) vfs.File {
	t.Helper()
	f, err := s.Create(ctx, nil, path, vfs.CreateOptions{Access: vfs.AllAccess})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func space(t *testing.T, s vfs.FS, f vfs.File) vfs.Space {
	t.Helper()
	sp, err := s.Space(ctx, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return sp
}
