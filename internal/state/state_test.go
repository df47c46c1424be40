package state_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dozo-server/dozo/internal/state"
)

func TestCreateKeepsTheServersID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "dozo")
	first, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if first.ID() == [16]byte{} {
		t.Error("the id is empty")
	}
	again, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if again.ID() != first.ID() {
		t.Errorf("id %x became %x", first.ID(), again.ID())
	}
	for name, want := range map[string]fs.FileMode{"": 0o700 | fs.ModeDir, "state.json": 0o600} {
		info, err := os.Stat(first.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("mode of %q = %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		mode  fs.FileMode // of the folder; 0 is 0700
		want  string      // "" is fs.ErrNotExist: Create may go on
	}{
		{name: "empty folder"},
		{name: "left by a crash", files: map[string]string{"state.json.123": "{"}},
		{name: "newer", files: map[string]string{"state.json": `{"version": 2, "server": "00112233445566778899aabbccddeeff"}`},
			want: "belongs to a newer dozo (version 2, this one knows 1)"},
		{name: "cut", files: map[string]string{"state.json": `{"version": 1`}, want: "is damaged: state.json"},
		{name: "empty file", files: map[string]string{"state.json": ``}, want: "is damaged: state.json"},
		{name: "no id", files: map[string]string{"state.json": `{"version": 1}`}, want: "is damaged: state.json"},
		{name: "short id", files: map[string]string{"state.json": `{"version": 1, "server": "0011"}`}, want: "is damaged"},
		{name: "no version", files: map[string]string{"state.json": `{"server": "00112233445566778899aabbccddeeff"}`}, want: "is damaged"},
		{name: "no SID", files: map[string]string{"state.json": `{"version": 1, "server": "00112233445566778899aabbccddeeff", "sid": "S-1-5-32"}`},
			want: "is damaged: state.json"},
		{name: "somebody's home", files: map[string]string{"letter.txt": "Dear"}, want: "is no state folder, it holds letter.txt"},
		{name: "open to all", mode: 0o777, want: "chmod go-w"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.mode != 0 {
				if err := os.Chmod(dir, tt.mode); err != nil {
					t.Fatal(err)
				}
			}
			_, err := state.Open(dir)
			if tt.want == "" {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("Open = %v, want fs.ErrNotExist", err)
				}
				if _, err := state.Create(dir); err != nil {
					t.Errorf("Create = %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("Open = %v, want %q", err, tt.want)
			}
			if _, err := state.Create(dir); err == nil {
				t.Error("Create took it")
			}
			left, _ := os.ReadDir(dir)
			if len(left) != len(tt.files) {
				t.Errorf("%d files became %d", len(tt.files), len(left))
			}
		})
	}
}

func TestOpenChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dozo")
	if _, err := state.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("Open = %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("Open made the folder")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "is a file", file + "/below": "can't be used"} {
		if _, err := state.Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, want %q", path, err, want)
		}
	}
}

func TestLockIsForOne(t *testing.T) {
	f, err := state.Create(filepath.Join(t.TempDir(), "dozo"))
	if err != nil {
		t.Fatal(err)
	}
	held, err := f.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Lock(); err == nil || !strings.Contains(err.Error(), "another dozo (process ") {
		t.Errorf("second Lock = %v", err)
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	held, err = f.Lock()
	if err != nil {
		t.Fatalf("Lock after Release = %v", err)
	}
	held.Release()
}

func TestMountsAreRemembered(t *testing.T) {
	f, err := state.Create(filepath.Join(t.TempDir(), "dozo"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Mounts(); err != nil || len(got) != 0 {
		t.Fatalf("Mounts = %v, %v", got, err)
	}
	want := map[string]string{"/srv/films": "uuid:1234"}
	if err := f.SetMounts(want); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Mounts(); err != nil || got["/srv/films"] != "uuid:1234" {
		t.Errorf("Mounts = %v, %v", got, err)
	}
	before, _ := os.Stat(f.Path("mounts.json"))
	if err := f.SetMounts(want); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Stat(f.Path("mounts.json")); !os.SameFile(before, after) {
		t.Error("an equal value was written again")
	}
	if err := os.WriteFile(f.Path("mounts.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Mounts(); err == nil || !strings.Contains(err.Error(), "damaged: mounts.json") {
		t.Errorf("Mounts of a damaged file = %v", err)
	}
}

func TestSIDIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dozo")
	f, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.SID() != (state.SID{}) {
		t.Errorf("a new folder has the SID %v", f.SID())
	}
	want := state.SID{1, 2, 4294967295}
	if err := f.SetSID(want); err != nil {
		t.Fatal(err)
	}
	again, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if again.SID() != want || again.ID() != f.ID() {
		t.Errorf("SID %v, id %x; want %v, %x", again.SID(), again.ID(), want, f.ID())
	}
}

func TestParseSID(t *testing.T) {
	const good = "S-1-5-21-1179538593-0-4294967295"
	if sid, err := state.ParseSID(good); err != nil || sid.String() != good {
		t.Errorf("ParseSID = %v, %v", sid, err)
	}
	for _, bad := range []string{"", "S-1-5-21", "S-1-5-21-1-2", "S-1-5-21-1-2-3-1000", "S-1-5-32-1-2-3", "S-1-5-21-1-2-x",
		"S-1-5-21-1-2-4294967296", "S-1-5-21-1--2", "s-1-5-21-1-2-3"} {
		if sid, err := state.ParseSID(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, sid)
		}
	}
}

func TestWriteReplacesInOneStep(t *testing.T) {
	f, err := state.Create(filepath.Join(t.TempDir(), "dozo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if err := f.Write("first-password", []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(f.Path("first-password"))
		if err != nil || string(got) != text {
			t.Errorf("file = %q, %v", got, err)
		}
	}
	if info, _ := os.Stat(f.Path("first-password")); info.Mode() != 0o600 {
		t.Errorf("mode = %v", info.Mode())
	}
	entries, _ := os.ReadDir(f.Path(""))
	if len(entries) != 2 {
		t.Errorf("folder holds %v", entries)
	}
}

// TestRootLeavesTheFolderToItsOwner: what root changes in the folder of another
// account's server, that goes on using.
func TestRootLeavesTheFolderToItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes files in others' folders")
	}
	const owner = 5
	path := t.TempDir()
	if err := os.Chown(path, owner, owner); err != nil {
		t.Fatal(err)
	}
	f, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := f.Lock()
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 2 {
		t.Fatalf("there are %v, %v", entries, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != owner {
			t.Errorf("%s belongs to another, %v", e.Name(), err)
		}
	}
}
