package auth_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dozo-server/dozo/auth"
)

func newStore(t *testing.T) *auth.Store {
	t.Helper()
	return auth.NewStore(filepath.Join(t.TempDir(), "users.json"))
}

func add(t *testing.T, s *auth.Store, name, password string) {
	t.Helper()
	r, err := auth.NewRecord(name, password)
	if err == nil {
		err = s.Add(r)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestUsersLive(t *testing.T) {
	s := newStore(t)
	if users, err := s.List(); err != nil || len(users) != 0 {
		t.Fatalf("List of no file = %v, %v", users, err)
	}
	if _, err := s.Lookup("ann"); !errors.Is(err, auth.ErrUnknownUser) {
		t.Fatalf("Lookup in no file: %v", err)
	}
	add(t, s, "Änne", "secret")
	add(t, s, "bob", "hunter2")
	other := auth.NewStore(s.Path()) // as another process sees it

	for _, name := range []string{"Änne", "äNNE", "Änne@WORK"} {
		r, err := other.Lookup(name)
		if err != nil || r.Name != "Änne" || r.NTHash != auth.NTHash("secret") || len(r.SRPVerifier) != 192 || len(r.SRPSalt) != 16 {
			t.Errorf("Lookup(%s) = %+v, %v", name, r, err)
		}
	}
	for _, name := range []string{"", "Anne", "ann", "@", "@bob"} {
		if r, err := other.Lookup(name); !errors.Is(err, auth.ErrUnknownUser) {
			t.Errorf("Lookup(%q) = %+v, %v", name, r, err)
		}
	}

	again, _ := auth.NewRecord("BOB", "x")
	if err := s.Add(again); !errors.Is(err, auth.ErrExists) || !strings.Contains(err.Error(), "bob") {
		t.Errorf("Add of a taken name: %v", err)
	}
	if err := s.SetPassword("BOB", "other"); err != nil {
		t.Fatal(err)
	}
	if r, err := other.Lookup("bob"); err != nil || r.NTHash != auth.NTHash("other") {
		t.Errorf("after SetPassword: %+v, %v", r, err)
	}
	err := s.Change("bob", func(r *auth.Record) error {
		r.Name, r.UnixUser, r.Disabled = "eve", "robert", true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := other.Lookup("bob"); err != nil || r.Name != "bob" || r.UnixUser != "robert" || !r.Disabled {
		t.Errorf("after Change: %+v, %v", r, err)
	}

	if err := s.Remove("bob"); err != nil {
		t.Fatal(err)
	}
	users, err := other.List()
	if err != nil || len(users) != 1 || users[0].Name != "Änne" {
		t.Errorf("after Remove: %v, %v", users, err)
	}
	for what, err := range map[string]error{
		"Remove":      s.Remove("bob"),
		"SetPassword": s.SetPassword("bob", "x"),
		"Change":      s.Change("bob", func(*auth.Record) error { return nil }),
	} {
		if !errors.Is(err, auth.ErrUnknownUser) {
			t.Errorf("%s of nobody: %v", what, err)
		}
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}
}

func TestImport(t *testing.T) {
	s := newStore(t)
	add(t, s, "Ann", "first")
	add(t, s, "bob", "second")
	add(t, s, "carl", "third")
	if err := s.Change("bob", func(r *auth.Record) error { r.UnixUser = "robert"; return nil }); err != nil {
		t.Fatal(err)
	}
	came := []auth.Record{
		{Name: "dora", NTHash: auth.NTHash("fourth")},
		{Name: "ann", NTHash: auth.NTHash("first"), Disabled: true},
		{Name: "BOB", NTHash: auth.NTHash("other")},
		{Name: "carl"},
		{Name: "emil"},
	}
	check := func(what, want string) {
		t.Helper()
		users, err := auth.NewStore(s.Path()).List()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range users {
			word := r.Name
			for _, p := range []string{"first", "second", "third", "fourth", "other"} {
				if r.NTHash == auth.NTHash(p) {
					word += ":" + p
				}
			}
			if len(r.SRPVerifier) > 0 {
				word += ":srp"
			}
			if r.UnixUser != "" {
				word += ":" + r.UnixUser
			}
			if r.Disabled {
				word += ":disabled"
			}
			got = append(got, word)
		}
		if line := strings.Join(got, " "); line != want {
			t.Errorf("%s: %s, want %s", what, line, want)
		}
	}
	if _, err := s.Import([]auth.Record{{Name: "fine"}, {Name: "a/b"}}, false); err == nil {
		t.Error("a bad name was taken")
	}
	check("after a bad name", "Ann:first:srp bob:second:srp:robert carl:third:srp")
	left, err := s.Import(came, false)
	if err != nil || strings.Join(left, " ") != "Ann bob carl" {
		t.Errorf("left alone: %q, %v", left, err)
	}
	check("imported", "Ann:first:srp bob:second:srp:robert carl:third:srp dora:fourth emil")
	left, err = s.Import(came, true)
	if err != nil || strings.Join(left, " ") != "carl emil" {
		t.Errorf("left alone although replaced: %q, %v", left, err)
	}
	check("replaced", "Ann:first:srp:disabled bob:other:robert carl:third:srp dora:fourth emil")
}

func TestAFailedChangeChangesNothing(t *testing.T) {
	s := newStore(t)
	add(t, s, "ann", "secret")
	before, _ := os.ReadFile(s.Path())
	if err := s.SetPassword("ann", ""); err == nil {
		t.Error("an empty password was taken")
	}
	if after, _ := os.ReadFile(s.Path()); string(after) != string(before) {
		t.Error("the file was changed")
	}
}

func TestNamesAndPasswords(t *testing.T) {
	for _, tt := range []struct{ name, password, err string }{
		{"ann", "x", ""},
		{"Änne von Ütz", strings.Repeat("é", 127), ""},
		{"ann@example.com", "x", ""},
		{"", "x", "needs a name"},
		{strings.Repeat("n", 65), "x", "longer than 64"},
		{"a/b", "x", "has a character out of"},
		{`DOM\ann`, "x", "has a character out of"},
		{"a\x00b", "x", "not readable"},
		{"a\xffb", "x", "not readable"},
		{" ann", "x", "begins with a space"},
		{"ann.", "x", "ends with"},
		{"ann", "", "password is empty"},
		{"ann", strings.Repeat("p", 256), "longer than 255"},
		{"ann", "a\nb", "not readable"},
	} {
		_, err := auth.NewRecord(tt.name, tt.password)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("NewRecord(%q, %q) = %v, want %q", tt.name, tt.password, err, tt.err)
		}
	}
}

// What is damaged is never overwritten, and what is secret never quoted.
func TestDamagedFiles(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef"
	for _, tt := range []struct {
		name, text, err string
		mode            fs.FileMode
	}{
		{name: "empty", text: "", err: "is damaged"},
		{name: "cut", text: `{"version": 1, "users": [{"name": "ann"`, err: "is damaged"},
		{name: "two documents", text: `{"version": 1} {"version": 1}`, err: "is damaged"},
		{name: "no version", text: `{"users": []}`, err: "is damaged"},
		{name: "newer", text: `{"version": 2, "people": {}}`, err: "written by a newer dozo"},
		{name: "unknown field", text: `{"version": 1, "users": [{"name": "ann", "nt_hash": "` + hash + `", "x": 1}]}`, err: "is damaged"},
		{name: "bad name", text: `{"version": 1, "users": [{"name": "a/b", "nt_hash": "` + hash + `"}]}`, err: `user "a/b"`},
		{name: "short hash", text: `{"version": 1, "users": [{"name": "ann", "nt_hash": "` + hash[1:] + `"}]}`, err: "nt_hash is not 32"},
		{name: "salt alone", text: `{"version": 1, "users": [{"name": "ann", "nt_hash": "` + hash + `", "srp_salt": "` + hash + `"}]}`, err: "srp_verifier is not 384"},
		{name: "one user twice", text: `{"version": 1, "users": [{"name": "ann", "nt_hash": "` + hash + `"}, {"name": "Ann", "nt_hash": "` + hash + `"}]}`, err: "are one"},
		{name: "readable by all", text: `{"version": 1}`, mode: 0o644, err: "chmod 600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			if tt.mode == 0 {
				tt.mode = 0o600
			}
			if err := os.WriteFile(s.Path(), []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			r, _ := auth.NewRecord("bob", "x")
			_, lookup := s.Lookup("ann")
			_, list := s.List()
			for what, err := range map[string]error{"Lookup": lookup, "List": list, "Add": s.Add(r), "Remove": s.Remove("ann")} {
				if err == nil || !strings.Contains(err.Error(), tt.err) || errors.Is(err, auth.ErrUnknownUser) {
					t.Errorf("%s = %v, want %q", what, err, tt.err)
				}
				if err != nil && strings.Contains(err.Error(), hash[1:]) {
					t.Errorf("%s tells the secret: %v", what, err)
				}
			}
			if text, _ := os.ReadFile(s.Path()); string(text) != tt.text {
				t.Errorf("the file was overwritten: %s", text)
			}
		})
	}
}

func TestWritersTakeTurns(t *testing.T) {
	path := newStore(t).Path()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			s := auth.NewStore(path)
			for j := range 5 {
				r, err := auth.NewRecord(fmt.Sprintf("user%d-%d", i, j), "x")
				if err == nil {
					err = s.Add(r)
				}
				if err == nil {
					_, err = s.Lookup(r.Name)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if users, err := auth.NewStore(path).List(); err != nil || len(users) != 20 {
		t.Errorf("%d users of 20, %v", len(users), err)
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if len(left) != 2 { // the file and its lock
		t.Errorf("left behind: %v", left)
	}
}

func TestFolderThatIsGone(t *testing.T) {
	s := auth.NewStore(filepath.Join(t.TempDir(), "gone", "users.json"))
	r, _ := auth.NewRecord("ann", "x")
	if err := s.Add(r); err == nil || !strings.Contains(err.Error(), "can't be changed") {
		t.Errorf("Add = %v", err)
	}
	if _, err := s.Lookup("ann"); !errors.Is(err, auth.ErrUnknownUser) {
		t.Errorf("Lookup = %v", err)
	}
}

// TestRootLeavesTheListToItsOwner: what root changes in the folder of another
// account's server, that goes on reading.
// Protocols tell their clients by the kind of an error, people read the sentence.
func TestReasonsNotToWrite(t *testing.T) {
	for _, tt := range []struct {
		reason error
		kind   error // nil for none
	}{
		{syscall.ENOSPC, auth.ErrNoSpace},
		{syscall.EDQUOT, auth.ErrNoSpace},
		{syscall.EROFS, auth.ErrReadOnly},
		{syscall.EACCES, auth.ErrReadOnly},
		{syscall.EPERM, auth.ErrReadOnly},
		{syscall.EIO, nil},
	} {
		err := newStore(t).Unwritable(&fs.PathError{Op: "open", Path: "secret", Err: tt.reason})
		for _, kind := range []error{auth.ErrNoSpace, auth.ErrReadOnly} {
			if errors.Is(err, kind) != (kind == tt.kind) {
				t.Errorf("%v is %q: %v", tt.reason, kind, errors.Is(err, kind))
			}
		}
		if !errors.Is(err, tt.reason) || !strings.Contains(err.Error(), tt.reason.Error()) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%v is told as %q", tt.reason, err)
		}
	}
}

func TestRootLeavesTheListToItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes files in others' folders")
	}
	const owner = 5
	dir := t.TempDir()
	if err := os.Chown(dir, owner, owner); err != nil {
		t.Fatal(err)
	}
	s := auth.NewStore(filepath.Join(dir, "users"))
	if err := s.Add(auth.Record{Name: "anna"}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
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
