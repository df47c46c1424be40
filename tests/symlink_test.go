package tests

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// TestSymlinksStayInTheShare: those that lead out are refused, those that stay
// are followed.
func TestSymlinksStayInTheShare(t *testing.T) {
	s := serve(t)
	outside := t.TempDir()
	os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644)
	os.MkdirAll(s.path("folder/deep"), 0o777)
	s.write("folder/file", "fine")
	up := "../../../../../../../../../.." // more than enough
	for name, target := range map[string]string{
		"absolute":   filepath.Join(outside, "secret"),
		"relative":   up + outside + "/secret",
		"folder/out": "../../" + up + outside + "/secret",
		"outfolder":  outside,
		"root":       "/",
		"proc":       "/proc/self/root",
		"inside":     "folder/file",
		"insidedir":  "folder",
		"around":     "folder/deep/../file",
		"loop":       "loop",
	} {
		if err := os.Symlink(target, s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	share := s.mount()
	for _, name := range []string{"absolute", "relative", `folder\out`, `outfolder\secret`, `root\etc\passwd`, `proc\etc\passwd`, "loop"} {
		if got, err := share.ReadFile(name); err == nil {
			t.Errorf("%s was read: %q", name, got)
		}
		if err := share.WriteFile(name, []byte("overwritten"), 0o644); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if err := share.WriteFile(`outfolder\new`, nil, 0o644); err == nil {
		t.Error("a file was made outside")
	}
	for _, name := range []string{"inside", `insidedir\file`, "around"} {
		if got, err := share.ReadFile(name); err != nil || string(got) != "fine" {
			t.Errorf("%s = %q, %v", name, got, err)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "secret")); string(got) != "secret" {
		t.Errorf("the file outside is now %q", got)
	}

	// A client can't make one (CVE-2022-22995 and its kin).
	if err := share.Symlink(filepath.Join(outside, "secret"), "made"); err == nil {
		if _, err := share.ReadFile("made"); err == nil {
			t.Error("a link that a client made leads out")
		}
	}
}

// TestSymlinkRace: a folder that becomes a symbolic link at any moment of an
// open never leads out (CVE-2017-2619, CVE-2021-20316).
func TestSymlinkRace(t *testing.T) {
	s := serve(t)
	outside := t.TempDir()
	os.Chmod(outside, 0o777)
	os.WriteFile(filepath.Join(outside, "file"), []byte("secret"), 0o666)
	os.Mkdir(s.path("real"), 0o777)
	os.Chmod(s.path("real"), 0o777)
	s.write("real/file", "fine")
	if err := os.Symlink(outside, s.path("evil")); err != nil {
		t.Fatal(err)
	}
	os.Symlink("real", s.path("dir"))

	var stop atomic.Bool
	swapped := make(chan int)
	go func() { // dir is now the folder's name, now a link that leads out
		n := 0
		for ; !stop.Load(); n++ {
			os.Remove(s.path("dir"))
			os.Rename(s.path("real"), s.path("dir"))
			os.Rename(s.path("dir"), s.path("real"))
			os.Symlink(outside, s.path("dir"))
		}
		swapped <- n
	}()
	share := s.mount()
	opened := 0
	for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline); {
		if got, err := share.ReadFile(`dir\file`); err == nil {
			opened++
			if string(got) != "fine" {
				t.Fatalf("read %q from outside the share", got)
			}
		}
		share.WriteFile(`dir\new`, []byte("x"), 0o644)
		share.Mkdir(`dir\newdir`, 0o755)
		share.Rename(`dir\new`, `dir\newer`)
		share.Remove(`dir\newer`)
		share.Remove(`dir\newdir`)
	}
	stop.Store(true)
	t.Logf("the folder was swapped %d times, %d reads got through", <-swapped, opened)
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside the share are now %v", entries)
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "file")); string(got) != "secret" {
		t.Errorf("the file outside is now %q", got)
	}
}
