package names

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// foldingDisk mounts a file system that folds names by itself: exFAT, by FUSE,
// which needs root and the packages exfatprogs and exfat-fuse.
func foldingDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	image, at := filepath.Join(dir, "image"), filepath.Join(dir, "mounted")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 64<<20); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Skipf("no disk that folds names: %s: %v\n%s", name, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("mkfs.exfat", image)
	device := run("losetup", "-f", "--show", image)
	t.Cleanup(func() { exec.Command("losetup", "-d", device).Run() })
	run("mount.exfat-fuse", device, at)
	t.Cleanup(func() { exec.Command("umount", at).Run() })
	return at
}

func TestFoldingDisk(t *testing.T) {
	at := foldingDisk(t)
	exist, none := bracket(vfs.KindExist), bracket(vfs.KindNotExist)
	for way, name := range map[Coherence]string{Best: "best", Generations: "generations"} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp(at, "share")
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, "Dir/File", "Dir/Other", "Empty/")
			f := fixtureIn(t, dir, Options{Coherence: way})
			for range 2 {
				expect(t, "open", f.open("DIR/FILE"), "Dir/File")
				expect(t, "open as stored", f.open("Dir/File"), "Dir/File")
				expect(t, "open nothing", f.open("dir/none"), none)
				expect(t, "create what is there", f.create("dir/FILE"), exist)
			}
			expect(t, "change of case", f.rename("dir/file", "dir/FILE", false), "Dir/FILE")
			expect(t, "change of a folder's case", f.rename("DIR", "dIR", false), "dIR")
			expect(t, "what is in it", f.open("Dir/file"), "dIR/FILE")
			expect(t, "rename over another", f.rename("dir/file", "dir/OTHER", false), exist)
			expect(t, "rename over another, replacing", f.rename("dir/file", "dir/OTHER", true), "dIR/OTHER")
			expect(t, "create", f.create("dir/New"), "dIR/New")
			expect(t, "create again", f.create("dir/NEW"), exist)
			expect(t, "create in an empty folder", f.create("EMPTY/x"), "Empty/x")
			expect(t, "change of case there", f.rename("empty/x", "empty/X", false), "Empty/X")
			local(t, "put "+f.path("dIR/Local"))
			expect(t, "made locally", f.open("dir/LOCAL"), "dIR/Local")
			expect(t, "remove", f.remove("dir/NEW"), "dIR/New")
			if got := f.list("dir"); !slices.Equal(got, []string{"Local", "OTHER"}) {
				t.Errorf("list %q", got)
			}
			if left := f.list(""); !slices.Equal(left, []string{"Empty", "dIR"}) {
				t.Errorf("root lists %q", left)
			}
		})
	}
}

// TestFoldingIsNoMistake looks whether the disk folds names while a local
// process makes and takes away two spellings of one.
func TestFoldingIsNoMistake(t *testing.T) {
	f := newFixture(t, Options{})
	f.mkdir("d")
	f.list("d")
	p := startLocal(t)
	done := make(chan error, 1)
	go func() { done <- p.do("flip", f.path("d/Name"), f.path("d/nAME"), "2000") }()
	for running := true; running; {
		select {
		case err := <-done:
			if running = false; err != nil {
				t.Fatal(err)
			}
		default:
		}
		for _, d := range f.allDirs() {
			if d.folds.Load() == foldsItself {
				t.Fatal("the disk was taken for one that folds names")
			}
			d.folds.Store(foldsUntold)
			d.ready.Store(false) // so that the disk is asked first
		}
		f.open("d/Name")
	}
}
