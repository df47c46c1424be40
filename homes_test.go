package dozo_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// TestHomes: each user has a share of their own, which nobody else reaches, as
// soon as there is a folder for it.
func TestHomes(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"anna", "bert", "films"} {
		if err := os.Mkdir(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	films := dozo.Share{Name: "films", FS: memfs.New()}
	homes := dozo.Share{Name: "{user}", Path: top + "/{user}"}
	srv := &dozo.Server{Users: accounts(t, "Anna", "bert", "carl", "films"), Shares: []dozo.Share{homes, films}}
	addr := serving(t, srv)
	anna, bert, carl := logIn(t, addr, "anna"), logIn(t, addr, "bert"), logIn(t, addr, "carl")
	for name, s := range map[string]*smbclient.Session{"Anna": anna, "bert": bert} {
		if err := connect(t, s, name).WriteFile(t.Context(), "mine", []byte(name)); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(filepath.Join(top, strings.ToLower(name), "mine")); string(got) != name {
			t.Errorf("the folder of %s holds %q, %v", name, got, err)
		}
	}
	refused := func(s *smbclient.Session, share string) {
		t.Helper()
		if _, err := s.Tree(t.Context(), share); !errors.Is(err, smbwire.StatusBadNetworkName) {
			t.Errorf("connecting to %s: %v", share, err)
		}
	}
	refused(bert, "anna")
	refused(anna, "bert")
	refused(anna, "{user}")
	refused(anna, "..")
	refused(carl, "carl")
	if err := os.Mkdir(filepath.Join(top, "carl"), 0o755); err != nil {
		t.Fatal(err)
	}
	connect(t, carl, "CARL")
	// A share for all comes before one of a user with its name.
	if err := connect(t, logIn(t, addr, "films"), "films").WriteFile(t.Context(), "f", nil); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Join(top, "films")); len(left) > 0 {
		t.Error("the user films hides the share films")
	}

	// What is open stays open when other options come, and not when the shares go.
	file, err := connect(t, anna, "anna").Create(t.Context(), smbclient.Making("open"))
	if err != nil {
		t.Fatal(err)
	}
	homes.Comment, homes.ReadOnly = "now", true
	setShares(t, srv, films, homes)
	if _, err := file.WriteAt(t.Context(), []byte("x"), 0); err != nil {
		t.Errorf("what was open before a change of options: %v", err)
	}
	if err := connect(t, anna, "anna").WriteFile(t.Context(), "new", nil); !errors.Is(err, smbwire.StatusMediaWriteProtected) && !errors.Is(err, smbwire.StatusAccessDenied) {
		t.Errorf("writing where nobody may any more: %v", err)
	}
	homes.Users = []string{"bert"}
	setShares(t, srv, films, homes)
	if _, err := file.WriteAt(t.Context(), []byte("x"), 0); !errors.Is(err, smbwire.StatusNetworkNameDeleted) {
		t.Errorf("what was open of somebody who may not any more: %v", err)
	}
	connect(t, bert, "bert")
	setShares(t, srv, films)
	refused(bert, "bert")
	if s := srv.Snapshot(); len(s.Shares) != 1 {
		t.Errorf("left are the shares %+v", s.Shares)
	}
}

// TestHomesAtOnce: whoever comes first, a user has one share, also while what is
// served changes.
func TestHomesAtOnce(t *testing.T) {
	top := t.TempDir()
	if err := os.Mkdir(filepath.Join(top, "anna"), 0o755); err != nil {
		t.Fatal(err)
	}
	homes := dozo.Share{Name: "{user}", Path: top + "/{user}"}
	srv := &dozo.Server{Users: accounts(t, "anna"), Shares: []dozo.Share{homes}}
	addr := serving(t, srv)
	var sessions []*smbclient.Session
	for range 8 {
		sessions = append(sessions, logIn(t, addr, "anna"))
	}
	var working sync.WaitGroup
	for i, s := range sessions {
		working.Go(func() {
			tree, err := s.Tree(t.Context(), "anna")
			if err == nil {
				err = tree.WriteFile(t.Context(), fmt.Sprint("file ", i), nil)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	for turn := range 20 {
		homes.Comment = fmt.Sprint("turn ", turn)
		setShares(t, srv, homes)
	}
	working.Wait()
	if s := srv.Snapshot(); len(s.Shares) != 1 || s.Shares[0].Name != "anna" {
		t.Errorf("the shares are %+v", s.Shares)
	}
}

// TestHomesOnTheirDisks: a folder that is on another file system than it was is
// not served, and those of others are.
func TestHomesOnTheirDisks(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"anna", "bert"} {
		if err := os.Mkdir(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	homes := dozo.Share{Name: "{user}", Path: top + "/{user}", HomeFileSystems: map[string]string{top + "/anna": "one that is not mounted"}}
	srv := &dozo.Server{Users: accounts(t, "anna", "bert"), Shares: []dozo.Share{homes}}
	addr := serving(t, srv)
	connect(t, logIn(t, addr, "bert"), "bert")
	if _, err := logIn(t, addr, "anna").Tree(t.Context(), "anna"); !errors.Is(err, smbwire.StatusBadNetworkName) {
		t.Errorf("connecting to a home on another disk: %v", err)
	}
	homes.HomeFileSystems = nil
	setShares(t, srv, homes)
	connect(t, logIn(t, addr, "anna"), "anna")
}

// TestFoldersOfHomes: no name and no link of a user leads elsewhere.
func TestFoldersOfHomes(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"anna/files", "bert", "secret", "carl"} {
		if err := os.MkdirAll(filepath.Join(top, "homes", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"bert/files": "../secret", "carl/real": ".", "carl/files": "real"} {
		if err := os.Symlink(to, filepath.Join(top, "homes", from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "homes/anna"), filepath.Join(top, "homes/dora")); err != nil {
		t.Fatal(err)
	}
	o := dozo.Share{Name: "files", Path: filepath.Join(top, "homes/{user}/files")}
	really := map[string]string{"dora/files": "anna/files", "carl/files": "carl"}
	for user, want := range map[string]string{
		"anna": "anna/files", "ANNA": "anna/files", "dora": "dora/files", "carl": "carl/files",
		"bert": "", "": "", ".": "", "..": "", "../secret": "", "anna/..": "", `anna\x`: "", "anna\x00": "", "nobody": "",
	} {
		got, real, err := dozo.FolderOf(&o, user)
		wantReal := ""
		if want != "" {
			wantReal = filepath.Join(top, "homes", cmp.Or(really[want], want))
			want = filepath.Join(top, "homes", want)
		}
		if got != want || real != wantReal || (err == nil) != (want != "") {
			t.Errorf("the folder of %q is %s, really %s, %v; want %s, really %s", user, got, real, err, want, wantReal)
		}
	}
}

// TestHomesLeadNowhereLater: what a user puts in the place of the folder once it is
// served leads nowhere either.
func TestHomesLeadNowhereLater(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"homes/anna/data/files", "homes/anna/files", "secret/files"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for after, moved := range map[string]string{"files": "files", "data/files": "data"} {
		srv := &dozo.Server{Users: accounts(t, "anna"), Shares: []dozo.Share{{Name: "mine", Path: filepath.Join(top, "homes/{user}", after)}}}
		anna := logIn(t, serving(t, srv), "anna")
		connect(t, anna, "mine")
		was := filepath.Join(top, "homes/anna", moved)
		if err := os.Rename(was, was+".old"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(top, "secret"), was); err != nil {
			t.Fatal(err)
		}
		if _, err := anna.Tree(t.Context(), "mine"); !errors.Is(err, smbwire.StatusBadNetworkName) {
			t.Errorf("%s: connecting to what leads out: %v", after, err)
		}
		os.Remove(was)
		if err := os.Rename(was+".old", was); err != nil {
			t.Fatal(err)
		}
		connect(t, anna, "mine")
	}
}

func TestHomesThatCantBe(t *testing.T) {
	top := t.TempDir()
	os.Mkdir(filepath.Join(top, "homes"), 0o755)
	for _, shares := range [][]dozo.Share{
		{{Name: "a", Path: "/{user}"}},
		{{Name: "a", Path: top + "/x{user}"}},
		{{Name: "a", Path: top + "/{user}x"}},
		{{Name: "a", Path: top + "/{user}/{user}"}},
		{{Name: "a", Path: top + "/homes/{user}"}, {Name: "b", Path: top}},
		{{Name: "a", Path: top + "/homes"}, {Name: "b", Path: top + "/homes/{user}"}},
		{{Name: "a", Path: top + "/homes/{user}"}, {Name: "b", Path: top + "/homes/{user}/sub"}},
	} {
		srv := &dozo.Server{Shares: shares}
		if err := srv.Serve(t.Context()); err == nil {
			t.Errorf("%s was served", fmt.Sprint(shares[0].Path, " with ", shares[len(shares)-1].Path))
		}
	}
}
