package tests

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// TestReloadDropsNoRequest: four clients have 64 requests under way at any time,
// and one that waits through it all, while other shares, users and limits come
// and go. Every request is done, and does what it is to do.
func TestReloadDropsNoRequest(t *testing.T) {
	const clients, atOnce, reloads = 4, 16, 60
	s := &soak{configured(t, "", ""), sharedDir(t)}
	pair, err := s.pair()
	if err != nil {
		t.Fatal(err)
	}
	defer pair.leave()
	root, err := pair.one.Create(t.Context(), smbclient.Folder(""))
	if err != nil {
		t.Fatal(err)
	}
	const folders = 0x2 // FILE_NOTIFY_CHANGE_DIR_NAME
	waiting, err := pair.start(pair.one, smbwire.ChangeNotify, &smbwire.ChangeNotifyRequest{FileID: root.ID(), OutputBufferLength: 4096, CompletionFilter: folders})
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var working sync.WaitGroup
	var done atomic.Int64
	for c := range clients {
		tree := s.tree(smbclient.Options{Encrypt: c%2 == 1})
		for i := range atOnce {
			working.Go(func() {
				name := fmt.Sprintf("File %d of %d", i, c)
				for n := 0; ctx.Err() == nil; n++ {
					if err := useName(t.Context(), tree, name, bytes.Repeat([]byte{byte(n)}, 1+n*1000%50_000)); err != nil {
						t.Errorf("%s, after %d files of all: %v", name, done.Load(), err)
						cancel()
					}
					done.Add(1)
				}
			})
		}
	}
	guests := habit{name: "a share that comes and goes", come: (*soak).guests}
	var visits atomic.Int64
	working.Go(func() {
		if err := guests.live(ctx, s, 0, &visits); err != nil {
			t.Errorf("%s: %v", guests.name, err)
		}
	})

	served := func() uint64 { return s.ask().Shares[0].Load.Requests }
	before, during, began := served(), int64(0), time.Now()
	for n := 1; n <= reloads && ctx.Err() == nil; n++ {
		s.turn(n)
		if n%10 == 0 {
			user := fmt.Sprint("user", n+1) // whom the next turn lets in
			s.command("Secret99", "user", "add", user)
			defer s.command("", "user", "remove", user)
		}
		then := done.Load()
		if n%4 < 2 {
			if err := s.reload(); err != nil {
				t.Error(err)
			}
		} else {
			s.cmd.Process.Signal(syscall.SIGHUP)
			for len(s.ask().Shares) != 1+n%2 {
				if time.Since(began) > time.Minute {
					t.Fatal("SIGHUP does nothing")
				}
			}
		}
		during += done.Load() - then
	}
	requests, took := served()-before, time.Since(began)
	cancel()
	working.Wait()
	t.Logf("%d requests in %v, among %d reloads, with %d files used in the middle of one; %d visits", requests, took, reloads, during, visits.Load())
	if during < reloads {
		t.Error("there was no load")
	}

	if err := pair.other.Mkdir(t.Context(), "the last"); err != nil {
		t.Error(err)
	}
	var told smbwire.ChangeNotifyResponse
	if err := pair.end(waiting, &told); err != nil {
		t.Errorf("what waited through all reloads: %v", err)
	}
}

// useName makes a file, finds it by other spellings, and deletes it.
func useName(ctx context.Context, tree *smbclient.Tree, name string, data []byte) error {
	if err := tree.WriteFile(ctx, name, data); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	back, err := tree.ReadFile(ctx, strings.ToUpper(name), len(data)+1)
	if err != nil || !bytes.Equal(back, data) {
		return fmt.Errorf("reading: %d bytes of %d: %w", len(back), len(data), err)
	}
	if err := tree.Rename(ctx, name, name+" moved", false); err != nil {
		return fmt.Errorf("renaming: %w", err)
	}
	if info, err := tree.Stat(ctx, name+" MOVED"); err != nil || info.EndOfFile != uint64(len(data)) {
		return fmt.Errorf("looking: %d bytes of %d: %w", info.EndOfFile, len(data), err)
	}
	return tree.Remove(ctx, name+" moved")
}

// TestReloadWhileSmbclientWorks: Samba's client copies files there and back
// while the configuration changes and is read again and again. It must not
// notice; what came back is what was sent.
func TestReloadWhileSmbclientWorks(t *testing.T) {
	ownProgram(t)
	need(t, "smbclient")
	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"),
		user: "tester", password: "Secret77"}
	file := filepath.Join(t.TempDir(), "dozo.toml")
	share := fmt.Sprintf("[[share]]\nname = \"share\"\npath = %q\n", s.dir)
	turns := []string{
		share,
		share + "comment = \"now\"\ncreate-mask = \"0600\"\nusers = [\"TESTER\", \"other\"]\n" +
			fmt.Sprintf("[[share]]\nname = \"visitor\"\npath = %q\nguest = \"read\"\n", sharedDir(t)),
	}
	configure := func(turn int) {
		if err := os.WriteFile(file, []byte(turns[turn%len(turns)]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure(0)
	s.start(exec.Command(dozo(t), "serve", "--config", file, "--state", s.state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user), "dozo: ready")

	sent := filepath.Join(t.TempDir(), "sent")
	data := bytes.Repeat([]byte("0123456789abcde\n"), 2<<20) // 32 MB
	if err := os.WriteFile(sent, data, 0o600); err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		said string
		err  error
	}
	done := make(chan outcome, 1)
	const copies = 3
	var commands string
	for i := range copies {
		commands += fmt.Sprintf("put %s copy%d; get copy%d %s.back%d; ", sent, i, i, sent, i)
	}
	go func() {
		said, err := s.smbclient(commands)
		done <- outcome{said, err}
	}()
	reloads := 0
	for working := true; working; {
		select {
		case o := <-done:
			working = false
			if o.err != nil || bytes.Contains([]byte(o.said), []byte("NT_STATUS_")) {
				t.Errorf("smbclient: %v\n%s", o.err, o.said)
			}
		default:
			reloads++
			configure(reloads)
			began := time.Now()
			s.command("", "reload")
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("reload %d took %v", reloads, took)
			}
		}
	}
	for i := range copies {
		back, err := os.ReadFile(fmt.Sprintf("%s.back%d", sent, i))
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("copy %d came back with %d bytes of %d: %v", i, len(back), len(data), err)
		}
	}
	t.Logf("%d reloads", reloads)
	if reloads < 3 {
		t.Errorf("there were %d reloads only", reloads)
	}
}
