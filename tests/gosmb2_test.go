package tests

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudsoda/go-smb2"
)

// mount connects go-smb2 to the share, signing all it sends.
func (s *server) mount() *smb2.Share {
	s.t.Helper()
	share, err := s.login(s.user, s.password, s.share)
	if err != nil {
		s.t.Fatal(err)
	}
	return share
}

func (s *server) login(user, password, name string) (*smb2.Share, error) {
	share, leave, err := s.visit(s.t.Context(), user, password, name)
	if err == nil {
		s.t.Cleanup(leave)
	}
	return share, err
}

// visit is login for a client that leaves before the test ends.
func (s *server) visit(ctx context.Context, user, password, name string) (share *smb2.Share, leave func(), err error) {
	d := &smb2.Dialer{
		MaxCreditBalance: 512,
		Negotiator:       smb2.Negotiator{RequireMessageSigning: user != ""},
		Initiator:        &smb2.NTLMInitiator{User: user, Password: password},
	}
	session, err := d.Dial(ctx, s.addr())
	if err != nil {
		return nil, nil, err
	}
	if share, err = session.Mount(name); err != nil {
		session.Logoff()
		return nil, nil, err
	}
	return share, func() {
		share.Umount()
		session.Logoff()
	}, nil
}

func TestGoSMB2Files(t *testing.T) {
	s := serve(t)
	share := s.mount()

	if err := share.MkdirAll(`a\b\c`, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := share.Create(`a\b\c\file`)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 3<<20+17)
	rand.NewChaCha8([32]byte{1}).Read(data)
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(1<<20-3, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 100)
	if _, err := io.ReadFull(f, part); err != nil || string(part) != string(data[1<<20-3:][:100]) {
		t.Errorf("read in the middle: %v", err)
	}
	if err := f.Truncate(1000); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(2000); err != nil {
		t.Fatal(err)
	}
	f.Close()
	want := string(data[:1000]) + strings.Repeat("\x00", 1000)
	if got := s.read("a/b/c/file"); got != want {
		t.Error("cut and grown file differs on the disk")
	}
	info, err := share.Stat(`A\B\C\FILE`)
	if err != nil || info.Size() != 2000 || info.Name() != "FILE" {
		t.Errorf("Stat = %+v, %v", info, err)
	}

	_, err = share.OpenFile(`a\b\c\File`, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("exclusive create of a name in other case = %v", err)
	}
	when := time.Date(2001, 2, 3, 4, 5, 6, 789_012_300, time.UTC)
	if err := share.Chtimes(`a\b\c\file`, when, when); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(s.path("a/b/c/file")); !info.ModTime().Equal(when) {
		t.Errorf("time on the disk = %v, want %v", info.ModTime(), when)
	}
	if err := share.Rename(`a\b\c\file`, `a\moved`); err != nil {
		t.Fatal(err)
	}
	if err := share.Remove(`a\b`); err == nil {
		t.Error("a folder that is not empty was removed")
	}
	if err := share.RemoveAll(`a`); err != nil {
		t.Fatal(err)
	}
	if got := s.names(""); got != "" {
		t.Errorf("the share still holds %q", got)
	}
	for _, name := range []string{`missing`, `missing\file`} {
		if _, err := share.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open of %s = %v", name, err)
		}
	}
}

func TestGoSMB2ListsEverythingOnce(t *testing.T) {
	s := serve(t)
	const n = 3000 // some dozen QUERY_DIRECTORY replies
	for i := range n {
		s.write(fmt.Sprintf("a file with quite a long name %05d.txt", i), "")
	}
	entries, err := s.mount().ReadDir("")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, e := range entries {
		seen[e.Name()]++
	}
	for i := range n {
		if name := fmt.Sprintf("a file with quite a long name %05d.txt", i); seen[name] != 1 {
			t.Errorf("%s was listed %d times", name, seen[name])
		}
	}
	if len(seen) != n {
		t.Errorf("%d names, want %d", len(seen), n)
	}
}

func TestGoSMB2ManyAtOnce(t *testing.T) {
	s := serve(t)
	const clients, files = 8, 100
	var wg sync.WaitGroup
	for c := range clients {
		share := s.mount()
		wg.Go(func() {
			for i := range files {
				name := fmt.Sprintf("%d-%d", c, i)
				if err := share.WriteFile(name, []byte(name), 0o644); err != nil {
					t.Error(err)
					return
				}
				if got, err := share.ReadFile(strings.ToUpper(name)); err != nil || string(got) != name {
					t.Errorf("read back %q, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
	if got := len(strings.Fields(s.names(""))); got != clients*files {
		t.Errorf("%d files, want %d", got, clients*files)
	}
}

func TestGoSMB2RacesForOneName(t *testing.T) {
	s := serve(t)
	const clients, rounds = 4, 50
	var shares []*smb2.Share
	for range clients {
		shares = append(shares, s.mount())
	}
	for round := range rounds {
		var mu sync.Mutex
		won := 0
		var wg sync.WaitGroup
		for c, share := range shares {
			name := []rune(fmt.Sprintf("name%d", round))
			name[c] -= 'a' - 'A' // each client's own spelling
			wg.Go(func() {
				f, err := share.OpenFile(string(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
				if err == nil {
					f.Close()
					mu.Lock()
					won++
					mu.Unlock()
				} else if !errors.Is(err, fs.ErrExist) {
					t.Errorf("create: %v", err)
				}
			})
		}
		wg.Wait()
		if won != 1 {
			t.Errorf("round %d: %d clients made the file", round, won)
		}
	}
	if got := len(strings.Fields(s.names(""))); got != rounds {
		t.Errorf("%d files on the disk, want %d: %s", got, rounds, s.names(""))
	}
}
