package volume

import (
	"fmt"
	"os"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
	"github.com/dozo-server/dozo/vfs"
)

// makeFile does what a client does to copy a small file.
func makeFile(t testing.TB, v *Volume, c *vfs.Caller, path string, data []byte) {
	t.Helper()
	f, err := v.Create(ctx, c, path, vfs.CreateOptions{
		Access: vfs.ReadData | vfs.WriteData | vfs.ReadAttr | vfs.WriteAttr, DOS: vfs.DOSArchive,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Attr(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(ctx, data, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCreateBudget holds the promise of at most five calls for a new file: the
// four counted here, and close.
func TestCreateBudget(t *testing.T) {
	faults := faultdisk.New()
	v := open(t, tempFolder(t), Options{Faults: faults})
	d, err := v.Create(ctx, nil, "d", vfs.CreateOptions{Directory: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	for _, c := range []*vfs.Caller{nil, {HasID: true, UID: v.owner.UID, GID: v.owner.GID}} {
		makeFile(t, v, c, fmt.Sprintf("d/first %v", c == nil), []byte("data"))
		for i := range 3 {
			faults.Reset()
			makeFile(t, v, c, fmt.Sprintf("d/next %d %v", i, c == nil), []byte("data"))
			calls := faults.Calls()
			delete(calls, disk.OpSpace) // asked again whenever anybody mounts something
			total := 1                  // close
			for _, n := range calls {
				total += n
			}
			if total > 5 {
				t.Errorf("%d calls: %v", total, calls)
			}
			for _, op := range []disk.Op{disk.OpOpen, disk.OpStat, disk.OpHandle, disk.OpWrite} {
				if calls[op] != 1 {
					t.Errorf("%d calls of %s", calls[op], op)
				}
			}
		}
	}
}

// TestOpenBudget counts what opening, asking for the attributes and closing
// takes: open, stat, handle and what is stored; and the second question one
// more.
func TestOpenBudget(t *testing.T) {
	faults := faultdisk.New()
	v := open(t, tempFolder(t), Options{Faults: faults})
	makeFile(t, v, nil, "f", []byte("data"))
	for range 2 {
		faults.Reset()
		f, err := v.Open(ctx, nil, "F", vfs.OpenOptions{Access: vfs.ReadData | vfs.ReadAttr})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Attr(ctx); err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, n := range faults.Calls() {
			total += n
		}
		if calls := faults.Calls(); total > 5 || calls[disk.OpGetXattr] > 1 || calls[disk.OpStat] > 1 {
			t.Errorf("calls: %v", calls)
		}
		f.Close()
	}
}

// TestDeleteBudget counts what a user's delete takes: open, handle and stat, the
// check that the name still is the file's and the removal. The rights to the
// folder are remembered, also when it is another's.
func TestDeleteBudget(t *testing.T) {
	asRoot(t)
	dir := tempFolder(t)
	os.Chmod(dir, 0o777)
	faults := faultdisk.New()
	v := open(t, dir, Options{Faults: faults})
	ann := &vfs.Caller{HasID: true, UID: 4001, GID: 4001}
	for _, path := range []string{"first", "next", "last"} {
		makeFile(t, v, ann, path, nil)
		faults.Reset()
		f, err := v.Open(ctx, ann, path, vfs.OpenOptions{Access: vfs.Delete})
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Remove(ctx, ann, f); err != nil {
			t.Fatal(err)
		}
		f.Close()
		total := 0
		for _, n := range faults.Calls() {
			total += n
		}
		if path != "first" && total > 6 {
			t.Errorf("%d calls: %v", total, faults.Calls())
		}
	}
}

// TestListBudget lists twice: the second time costs one call an entry.
func TestListBudget(t *testing.T) {
	faults := faultdisk.New()
	dir := tempFolder(t)
	v := open(t, dir, Options{Faults: faults})
	const files = 1000
	for i := range files {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	first := list(t, v, "")
	faults.Reset()
	second := list(t, v, "")
	calls := faults.Calls()
	if len(second) != files || calls[disk.OpStat] > files+10 || calls[disk.OpHandle] > 10 || calls[disk.OpGetXattr] > 10 {
		t.Errorf("%d entries, calls: %v", len(second), calls)
	}
	for name, e := range second {
		if e.Attr != first[name].Attr {
			t.Fatalf("%s is listed with %+v, was with %+v", name, e.Attr, first[name].Attr)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	for name, c := range map[string]*vfs.Caller{"self": nil, "account": {HasID: true, UID: 4001, GID: 4001}} {
		b.Run(name, func(b *testing.B) {
			dir := tempFolder(b)
			os.Chmod(dir, 0o777)
			v := open(b, dir, Options{})
			paths := make([]string, b.N)
			for i := range paths {
				paths[i] = fmt.Sprintf("file-%08d.jpg", i)
			}
			data := make([]byte, 1024)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				makeFile(b, v, c, paths[i], data)
			}
		})
	}
}
