package volume

import (
	"math"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// idAt returns the id of what is at path.
func idAt(t testing.TB, v *Volume, path string) uint64 {
	t.Helper()
	f, err := v.Open(ctx, nil, path, vfs.OpenOptions{Access: vfs.ReadAttr})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return attrOf(t, f).ID
}

func TestIDsLast(t *testing.T) {
	dir := tempFolder(t)
	v := open(t, dir, Options{})
	makeFile(t, v, nil, "f", nil)
	if _, err := v.Create(ctx, nil, "d", vfs.CreateOptions{Directory: true}); err != nil {
		t.Fatal(err)
	}
	id := idAt(t, v, "f")
	spawn(t, "echo more >> f; mv f d/g", dir)
	if got := idAt(t, v, "d/g"); got != id {
		t.Errorf("after a local mv: %d, was %d", got, id)
	}
	if got := list(t, v, "d")["g"].Attr; got.ID != id || got.Parent != idAt(t, v, "d") {
		t.Errorf("listed with id %d in %d, want %d in %d", got.ID, got.Parent, id, idAt(t, v, "d"))
	}
	// What a restart begins with.
	again := open(t, dir, Options{})
	if got := idAt(t, again, "d/g"); got != id {
		t.Errorf("after a restart: %d, was %d", got, id)
	}
	if got := again.Features(); got != v.Features() || got.Serial == 0 {
		t.Errorf("features after a restart: %+v, were %+v", got, v.Features())
	}
}

// TestIDsAreNotGivenAgain makes files over deleted ones, whose inodes they get.
func TestIDsAreNotGivenAgain(t *testing.T) {
	v := open(t, tempFolder(t), Options{})
	seen := map[uint64]bool{}
	keys := map[vfs.Key]bool{}
	for range 200 {
		f, err := v.Create(ctx, nil, "f", vfs.CreateOptions{DOS: vfs.DOSArchive})
		if err != nil {
			t.Fatal(err)
		}
		id := attrOf(t, f).ID
		if seen[id] || keys[f.Key()] {
			t.Fatalf("id %d or key %v came back", id, f.Key())
		}
		seen[id], keys[f.Key()] = true, true
		if err := v.Remove(ctx, nil, f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

func TestLowIDsAreAvoided(t *testing.T) {
	for _, digest := range []uint64{0, 1, 2, 16, 17, math.MaxUint64, 1 << 63, 1<<63 + 5} {
		id := idOf(digest)
		if id < firstID || id > math.MaxInt64 {
			t.Errorf("digest %#x gives id %d", digest, id)
		}
	}
	if idOf(0) == idOf(1) {
		t.Error("two digests give one id")
	}
}

// TestIDsAreFrozen holds what must never change: clients and backups store ids.
func TestIDsAreFrozen(t *testing.T) {
	s := system{id: [16]byte{0: 0x6a, 15: 0x4b}, num: 3}
	h := disk.Handle{Type: 1, Size: 8, Bytes: [32]byte{12, 0, 0, 0, 0xd2, 4, 0, 0}}
	got := s.identify(h)
	if got.id != 7776795857758384081 || got.key.FS != 3 || got.key.Lo&math.MaxInt64 != got.id {
		t.Errorf("identity %+v, id %d", got, got.id)
	}
}
