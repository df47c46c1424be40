package volume

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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

// withinBudget does something until it is told that it took no more than it may:
// whenever anybody mounts something on the machine, the disk is asked again.
func withinBudget(t *testing.T, do func(try int) (tooMuch string)) {
	t.Helper()
	tooMuch := ""
	for try := range 5 {
		if tooMuch = do(try); tooMuch == "" {
			return
		}
	}
	t.Error(tooMuch)
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
	want := map[disk.Op]int{disk.OpOpen: 1, disk.OpStat: 1, disk.OpHandle: 1, disk.OpWrite: 1}
	for _, c := range []*vfs.Caller{nil, {HasID: true, UID: v.owner.UID, GID: v.owner.GID}} {
		makeFile(t, v, c, fmt.Sprintf("d/first %v", c == nil), []byte("data"))
		for i := range 3 {
			withinBudget(t, func(try int) string {
				faults.Reset()
				makeFile(t, v, c, fmt.Sprintf("d/next %d %d %v", i, try, c == nil), []byte("data"))
				if calls := faults.Calls(); !maps.Equal(calls, want) {
					return fmt.Sprintf("calls: %v, want %v", calls, want)
				}
				return ""
			})
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
	remove := func(path string) (calls map[disk.Op]int, total int) {
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
		calls = faults.Calls()
		for _, n := range calls {
			total += n
		}
		return calls, total
	}
	remove("first")
	for _, path := range []string{"next", "last"} {
		withinBudget(t, func(int) string {
			if calls, total := remove(path); total > 6 {
				return fmt.Sprintf("%d calls: %v", total, calls)
			}
			return ""
		})
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

// TestNamesBudget lists names only, which takes no look at any entry, and spoils
// nothing for who wants attributes, later or from the middle on.
func TestNamesBudget(t *testing.T) {
	faults := faultdisk.New()
	dir := tempFolder(t)
	v := open(t, dir, Options{Faults: faults})
	const files, folders = 1000, 10
	for i := range files {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), []byte("data"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range folders {
		if err := os.Mkdir(fmt.Sprintf("%s/folder %d", dir, i), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	all := list(t, v, "")
	for _, tt := range []struct {
		name  string
		names func(step int) bool
	}{
		{"names only", func(int) bool { return true }},
		{"attributes", func(int) bool { return false }},
		{"attributes at the end", func(step int) bool { return step < 3 }},
		{"in turns", func(step int) bool { return step%2 == 0 }},
	} {
		faults.Reset()
		f, err := v.Open(ctx, nil, "", vfs.OpenOptions{Access: vfs.ListDir})
		if err != nil {
			t.Fatal(err)
		}
		l, err := f.List(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen, asked := map[string]bool{}, 0 // and how many since attributes were asked for
		for step := 0; err == nil; step++ {
			var n int
			buf := make([]vfs.Entry, 100)
			n, err = l.Next(ctx, buf, tt.names(step))
			if asked > 0 || !tt.names(step) {
				asked += n
			}
			for _, e := range buf[:n] {
				want := all[e.Name].Attr
				if tt.names(step) {
					want = vfs.Attr{Type: want.Type}
				}
				if seen[e.Name] || e.Attr != want {
					t.Fatalf("%s: %s is listed with %+v, want %+v; seen before: %v", tt.name, e.Name, e.Attr, want, seen[e.Name])
				}
				seen[e.Name] = true
			}
		}
		l.Close()
		f.Close()
		const around = 5 // for the folder itself
		calls := faults.Calls()
		if len(seen) != files+folders || calls[disk.OpStat] > asked+around || calls[disk.OpHandle] > around || calls[disk.OpGetXattr] > around {
			t.Errorf("%s: %d entries, calls: %v", tt.name, len(seen), calls)
		}
	}
}

// TestNamesOfLinks: what a link leads to is looked for, because the name does not
// tell its type.
func TestNamesOfLinks(t *testing.T) {
	dir := tempFolder(t)
	v := open(t, dir, Options{})
	for name, to := range map[string]string{"to folder": "folder", "to file": "file", "nowhere": "missing"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "folder"), 0o755), os.WriteFile(filepath.Join(dir, "file"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	all := list(t, v, "")
	f, err := v.Open(ctx, nil, "", vfs.OpenOptions{Access: vfs.ListDir})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := f.List(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	buf := make([]vfs.Entry, 10)
	n, err := l.Next(ctx, buf, true)
	if n != 5 || err != nil {
		t.Fatal(n, err)
	}
	for _, e := range buf[:n] {
		if want := all[e.Name].Attr.Type; e.Attr.Type != want {
			t.Errorf("%s is of type %v, want %v", e.Name, e.Attr.Type, want)
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

// TestListedMacsBudget asks twice for what Macs know of a listing: the second time
// takes no look at what has nothing and did not change.
func TestListedMacsBudget(t *testing.T) {
	faults := faultdisk.New()
	dir := tempFolder(t)
	v := open(t, dir, Options{Faults: faults})
	const files = 500
	for i := range files {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	d := openDir(t, v, "")
	ask := func() (macs []vfs.Mac, names []string, calls int) {
		var entries []vfs.Entry
		for name, e := range list(t, v, "") {
			entries, names = append(entries, e), append(names, name)
		}
		macs = make([]vfs.Mac, len(entries))
		faults.Reset()
		if err := d.(vfs.MacFile).ListedMacs(ctx, nil, entries, macs); err != nil {
			t.Fatal(err)
		}
		for _, n := range faults.Calls() {
			calls += n
		}
		return macs, names, calls
	}
	if _, _, calls := ask(); calls > 2*files+20 {
		t.Errorf("the first time took %d calls", calls)
	}
	if _, _, calls := ask(); calls > 20 {
		t.Errorf("the second time took %d calls", calls)
	}
	f := openFor(t, v, "77")
	if err := f.SetMac(ctx, nil, vfs.SetMac{Set: vfs.SetComment, Comment: "set"}); err != nil {
		t.Fatal(err)
	}
	macs, names, _ := ask()
	for i, name := range names {
		if (macs[i].Comment == "set") != (name == "77") {
			t.Errorf("%s has %+v", name, macs[i])
		}
	}
}

// TestClearBudget clears a file that has nothing, as each overwrite does: one call
// where the names of the folder are in memory.
func TestClearBudget(t *testing.T) {
	faults := faultdisk.New()
	v := open(t, tempFolder(t), Options{Faults: faults})
	makeFile(t, v, nil, "f", nil)
	f := openFor(t, v, "f")
	withinBudget(t, func(int) string {
		faults.Reset()
		if err := f.Clear(ctx); err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, n := range faults.Calls() {
			total += n
		}
		if total > 1 {
			return fmt.Sprintf("%d calls: %v", total, faults.Calls())
		}
		return ""
	})
}
