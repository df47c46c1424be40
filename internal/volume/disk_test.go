package volume

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/vfstest"
)

// TestConformanceInPieces runs the suite on a disk that moves little at once.
func TestConformanceInPieces(t *testing.T) {
	vfstest.Run(t, func(t *testing.T) vfs.FS {
		faults := faultdisk.New()
		faults.Add(faultdisk.Rule{Op: disk.OpWrite, Limit: 4093})
		faults.Add(faultdisk.Rule{Op: disk.OpRead, Limit: 6007})
		return linking{open(t, tempFolder(t), Options{Faults: faults})}
	}, without()...)
}

// scenario uses all of a volume, and returns its first error.
func scenario(v *Volume) error {
	var files []vfs.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	create := func(path string, o vfs.CreateOptions) (vfs.File, error) {
		f, err := v.Create(ctx, nil, path, o)
		if err == nil {
			files = append(files, f)
		}
		return f, err
	}
	d, err := create("d", vfs.CreateOptions{Directory: true, Access: vfs.ListDir})
	if err != nil {
		return err
	}
	f, err := create("d/File", vfs.CreateOptions{Access: vfs.AllAccess, DOS: vfs.DOSHidden})
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(ctx, []byte("data"), 0); err != nil {
		return err
	}
	if _, err := f.Attr(ctx); err != nil {
		return err
	}
	if err := f.SetAttr(ctx, nil, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSSystem}); err != nil {
		return err
	}
	g, err := v.Open(ctx, nil, "D/FILE", vfs.OpenOptions{Maximum: true})
	if err != nil {
		return err
	}
	files = append(files, g)
	if n, err := g.ReadAt(ctx, make([]byte, 10), 0); n != 4 || !errors.Is(err, io.EOF) {
		return errors.Join(err, fmt.Errorf("read %d bytes", n))
	}
	l, err := d.List(ctx, nil)
	if err != nil {
		return err
	}
	n, err := l.Next(ctx, make([]vfs.Entry, 5), false)
	l.Close()
	if err != nil {
		return err
	}
	if n != 1 {
		return fmt.Errorf("%d entries listed", n)
	}
	if _, err := v.Rename(ctx, nil, g, "d/file2", false); err != nil {
		return err
	}
	if err := v.Link(ctx, nil, g, "other", false); err != nil {
		return err
	}
	if err := g.Sync(ctx); err != nil {
		return err
	}
	if err := (linking{v}).Symlink("link", "d/file2"); err != nil {
		return err
	}
	k, err := v.Open(ctx, nil, "link", vfs.OpenOptions{Access: vfs.ReadData | vfs.Delete})
	if err != nil {
		return err
	}
	files = append(files, k)
	if _, err := v.Rename(ctx, nil, k, "d/link2", false); err != nil {
		return err
	}
	if err := v.Remove(ctx, nil, k); err != nil {
		return err
	}
	return v.Remove(ctx, nil, g)
}

// TestEveryCallFailsOnce runs the scenario with one call after the other failing:
// the failure is told, nothing stays open, and what comes after works.
func TestEveryCallFailsOnce(t *testing.T) {
	for _, errno := range []unix.Errno{unix.EIO, unix.ENOSPC, unix.EACCES} {
		for call := 0; ; call++ {
			faults := faultdisk.New()
			dir := tempFolder(t)
			v, err := Open(dir, Options{Faults: faults})
			if err != nil {
				t.Fatal(err)
			}
			open := descriptors(t)
			faults.Reset()
			faults.Add(faultdisk.Rule{After: call, Times: 1, Errno: errno})
			failed := scenario(v)
			total := 0
			for _, n := range faults.Calls() {
				total += n
			}
			faults.Reset()

			names := readNames(t, dir)
			if failed == nil && !slices.Equal(names, []string{"d", "other"}) {
				t.Errorf("%v at call %d was not told, and left %q", errno, call, names)
			}
			if err := again(v); err != nil {
				t.Errorf("after %v at call %d (%v): %v", errno, call, failed, err)
			}
			v.Close()
			if now := descriptors(t); now > open {
				t.Errorf("after %v at call %d (%v): %d descriptors more than before", errno, call, failed, now-open)
			}
			if total <= call {
				break // none was left to fail
			}
		}
	}
}

// again clears the volume and runs the scenario.
func again(v *Volume) error {
	for _, path := range []string{"link", "d/link2", "d/File", "d/file2", "d", "other"} {
		f, err := v.Open(ctx, nil, path, vfs.OpenOptions{Access: vfs.Delete})
		if vfs.IsKind(err, vfs.KindNotExist) || vfs.IsKind(err, vfs.KindPathNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = v.Remove(ctx, nil, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return scenario(v)
}

func readNames(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// descriptors counts those that are open.
func descriptors(t testing.TB) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

// TestWriteCountsAreTrue fills a disk in the middle of a write.
func TestWriteCountsAreTrue(t *testing.T) {
	faults := faultdisk.New()
	dir := tempFolder(t)
	v := open(t, dir, Options{Faults: faults})
	f, err := v.Create(ctx, nil, "f", vfs.CreateOptions{Access: vfs.WriteData, DOS: vfs.DOSArchive})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	faults.SetRoom(1234)
	n, err := f.WriteAt(ctx, make([]byte, 5000), 0)
	if n != 1234 || !vfs.IsKind(err, vfs.KindNoSpace) {
		t.Errorf("WriteAt = %d, %v", n, err)
	}
	if st, err := os.Stat(filepath.Join(dir, "f")); err != nil || st.Size() != 1234 {
		t.Errorf("the file has %d bytes", st.Size())
	}
}

// TestSymlinkRace exchanges a folder for a link that leads out while it is used:
// nothing outside is ever opened or made.
func TestSymlinkRace(t *testing.T) {
	outer := tempFolder(t)
	for _, name := range []string{"share", "share/d", "secret"} {
		if err := os.Mkdir(filepath.Join(outer, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"share/d/f": "inside", "secret/f": "secret"} {
		if err := os.WriteFile(filepath.Join(outer, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	v := open(t, filepath.Join(outer, "share"), Options{})
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			spawn(t, "for i in 1 2 3 4 5; do mv share/d away; ln -s ../secret share/d; rm share/d; mv away share/d; done", outer)
		}
	})
	opened := 0
	for i := range 3000 {
		f, err := v.Open(ctx, nil, "d/f", vfs.OpenOptions{Access: vfs.ReadData})
		if err == nil {
			buf := make([]byte, 10)
			n, _ := f.ReadAt(ctx, buf, 0)
			if string(buf[:n]) != "inside" {
				t.Fatalf("read %q", buf[:n])
			}
			f.Close()
			opened++
		}
		g, err := v.Create(ctx, nil, fmt.Sprintf("d/made %d", i), vfs.CreateOptions{Access: vfs.WriteData, DOS: vfs.DOSArchive})
		if err == nil {
			g.Close()
		}
	}
	close(stop)
	swapper.Wait()
	if names := readNames(t, filepath.Join(outer, "secret")); !slices.Equal(names, []string{"f"}) {
		t.Errorf("made outside: %q", names)
	}
	if opened == 0 {
		t.Error("never opened: nothing was tested")
	}
}

// TestFirstLookIsCurrent asks for attributes just after others changed them.
func TestFirstLookIsCurrent(t *testing.T) {
	v := open(t, tempFolder(t), Options{})
	makeFile(t, v, nil, "f", nil)
	openFile := func() vfs.File {
		f, err := v.Open(ctx, nil, "f", vfs.OpenOptions{Access: vfs.AllAccess})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	writer := openFile()
	defer writer.Close()
	for what, change := range map[string]func() (bool, vfs.File){
		"write": func() (bool, vfs.File) {
			f := openFile()
			writer.WriteAt(ctx, []byte("x"), 99)
			return attrOf(t, f).Size == 100, f
		},
		"truncate": func() (bool, vfs.File) {
			f := openFile()
			writer.Truncate(ctx, 5)
			return attrOf(t, f).Size == 5, f
		},
		"setattr": func() (bool, vfs.File) {
			f := openFile()
			writer.SetAttr(ctx, nil, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSSystem})
			return attrOf(t, f).DOS == vfs.DOSSystem, f
		},
		"link": func() (bool, vfs.File) {
			f := openFile()
			v.Link(ctx, nil, writer, "g", false)
			return attrOf(t, f).Links == 2, f
		},
	} {
		ok, f := change()
		if !ok {
			t.Errorf("%s: the first look saw %+v", what, attrOf(t, f))
		}
		f.Close()
	}
}

func TestSpecialFiles(t *testing.T) {
	dir := tempFolder(t)
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	v := open(t, dir, Options{})
	for _, access := range []vfs.Access{vfs.ReadData, vfs.WriteData, vfs.ReadData | vfs.WriteData} {
		if _, err := v.Open(ctx, nil, "pipe", vfs.OpenOptions{Access: access}); !vfs.IsKind(err, vfs.KindAccess) {
			t.Errorf("open of a pipe for %#x: %v", access, err)
		}
	}
	f, err := v.Open(ctx, nil, "pipe", vfs.OpenOptions{Access: vfs.ReadAttr})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if a := attrOf(t, f); a.Type != vfs.TypeOther {
		t.Errorf("a pipe is of type %d", a.Type)
	}
	if e := list(t, v, "")["pipe"]; e.Attr.Type != vfs.TypeOther {
		t.Errorf("a pipe is listed as %+v", e)
	}
}

func TestFoldersThatCantBeServed(t *testing.T) {
	dir := tempFolder(t)
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]vfs.Kind{file: vfs.KindNotDir, filepath.Join(dir, "none"): vfs.KindNotExist} {
		v, err := Open(path, Options{})
		if !vfs.IsKind(err, kind) || !strings.Contains(err.Error(), path) {
			t.Errorf("Open %s: %v, %v", path, v, err)
		}
	}
}

func TestQuotasNarrow(t *testing.T) {
	for _, tt := range []struct {
		quota disk.Quota
		want  vfs.Space
	}{
		{disk.Quota{}, vfs.Space{Total: 100, Free: 50, Available: 40}},
		{disk.Quota{Limit: 30, Used: 10}, vfs.Space{Total: 30, Free: 20, Available: 20}},
		{disk.Quota{Limit: 90, Used: 10}, vfs.Space{Total: 90, Free: 50, Available: 40}},
		{disk.Quota{Limit: 30, Used: 35}, vfs.Space{Total: 35}},
	} {
		got := vfs.Space{Total: 100, Free: 50, Available: 40}
		narrow(&got, tt.quota)
		if got != tt.want {
			t.Errorf("%+v narrows to %+v, want %+v", tt.quota, got, tt.want)
		}
	}
}
