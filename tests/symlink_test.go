package tests

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// TestSymlinksLookLikeTheirTargets: clients see no links, but files and folders
// that can be opened and entered; what leads nowhere is an empty file.
func TestSymlinksLookLikeTheirTargets(t *testing.T) {
	s := serve(t)
	os.MkdirAll(s.path("real/sub"), 0o777)
	s.write("real/file", "twelve bytes")
	s.write("real/sub/deep", "x")
	for name, target := range map[string]string{
		"file": "real/file", "folder": "real/sub", "nowhere": "x", "outside": "/etc/passwd", "circle": "circle",
	} {
		if err := os.Symlink(target, s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	share := s.mount()
	entries, err := share.ReadDir("")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]os.FileInfo{}
	for _, e := range entries {
		seen[e.Name()] = e
	}
	for name, want := range map[string]struct {
		folder bool
		size   int64
	}{"file": {false, 12}, "folder": {true, 0}, "nowhere": {}, "outside": {}, "circle": {}} {
		stat, err := share.Stat(name)
		if err != nil {
			t.Errorf("stat %s: %v", name, err)
			continue
		}
		for how, i := range map[string]os.FileInfo{"listed": seen[name], "asked for": stat} {
			if i == nil || i.IsDir() != want.folder || i.Mode()&os.ModeSymlink != 0 || !want.folder && i.Size() != want.size {
				t.Errorf("%s, %s: %+v", name, how, i)
			}
		}
	}
	if target, _ := os.Stat(s.path("real/file")); seen["file"].ModTime().Sub(target.ModTime()).Abs() > time.Microsecond {
		t.Errorf("the link was modified %v, its target %v", seen["file"].ModTime(), target.ModTime())
	}
	for _, name := range []string{"nowhere", "outside", "circle"} {
		if _, err := share.Open(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("open %s for reading: %v", name, err)
		}
		if err := share.WriteFile(name, []byte("x"), 0o644); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("open %s for writing: %v", name, err)
		}
	}
	if out := s.ok("cd folder; ls; get deep " + os.DevNull); !strings.Contains(out, "deep") {
		t.Errorf("ls in a linked folder printed\n%s", out)
	}
	if out, _ := s.smbclient("get nowhere " + os.DevNull); !strings.Contains(out, "NT_STATUS_OBJECT_NAME_NOT_FOUND") {
		t.Errorf("get of a link to nothing printed\n%s", out)
	}
	local := filepath.Join(t.TempDir(), "local")
	os.Mkdir(local, 0o777)
	s.ok("lcd " + local + "; recurse; prompt; mget real folder file")
	if got, _ := os.ReadFile(filepath.Join(local, "file")); string(got) != "twelve bytes" {
		t.Errorf("mget copied %q", got)
	}
	if _, err := os.Stat(filepath.Join(local, "folder", "deep")); err != nil {
		t.Error(err)
	}
}

// TestSymlinksAreDeletedAndRenamedThemselves by whatever call of a client.
func TestSymlinksAreDeletedAndRenamedThemselves(t *testing.T) {
	s := serve(t)
	os.MkdirAll(s.path("real/sub"), 0o777)
	s.write("real/file", "kept")
	s.write("real/sub/deep", "kept")
	share := s.mount()
	links := map[string]string{"file": "real/file", "folder": "real/sub", "nowhere": "x", "outside": "/etc"}
	for what, do := range map[string]func(s *server, name, remove string) error{
		"smbclient": func(s *server, name, remove string) error { s.ok(remove + " " + name); return nil },
		"go-smb2":   func(s *server, name, _ string) error { return share.Remove(name) },
		"smbclient rename": func(s *server, name, remove string) error {
			s.ok("rename " + name + " moved; " + remove + " moved")
			return nil
		},
		"go-smb2 rename": func(s *server, name, _ string) error {
			if err := share.Rename(name, "moved"); err != nil {
				return err
			}
			return share.Remove("moved")
		},
	} {
		for name, target := range links {
			t.Run(what+" "+name, func(t *testing.T) {
				if err := os.Symlink(target, s.path(name)); err != nil {
					t.Fatal(err)
				}
				remove := "del"
				if name == "folder" {
					remove = "rmdir"
				}
				if err := do(s.on(t), name, remove); err != nil {
					t.Error(err)
				}
				if got := s.names(""); got != "real" {
					t.Errorf("the share holds %q", got)
				}
				os.Remove(s.path(name))
			})
		}
	}
	if got := s.read("real/file") + s.read("real/sub/deep"); got != "keptkept" {
		t.Errorf("the targets hold %q", got)
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
