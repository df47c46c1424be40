package tests

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestStopLosesNothing: a server that is asked to stop amid writes ends
// cleanly, and one that is killed just ends; either way all that clients were
// told is done is on the disk.
func TestStopLosesNothing(t *testing.T) {
	ownProgram(t)
	for _, how := range []string{"stopped", "killed"} {
		t.Run(how, func(t *testing.T) {
			s := serve(t)
			var acknowledged [4]atomic.Int64
			var clients sync.WaitGroup
			for c := range acknowledged {
				share := s.mount()
				clients.Go(func() {
					for i := range int64(1 << 40) {
						name := fmt.Sprintf("%d-%d", c, i)
						if share.WriteFile(name, []byte(name), 0o644) != nil {
							return
						}
						acknowledged[c].Store(i + 1)
					}
				})
			}
			time.Sleep(500 * time.Millisecond)
			if how == "stopped" {
				if err := s.stop(); err != nil {
					t.Errorf("the server ended with %v", err)
				}
			} else {
				s.cmd.Process.Kill()
				s.cmd.Wait()
			}
			clients.Wait()
			total := int64(0)
			for c := range acknowledged {
				n := acknowledged[c].Load()
				total += n
				for i := range n {
					name := fmt.Sprintf("%d-%d", c, i)
					if got := s.read(name); got != name {
						t.Fatalf("%s holds %q", name, got)
					}
				}
			}
			t.Logf("%d files were acknowledged", total)

			s.again()
			if _, err := s.mount().ReadFile("0-0"); err != nil {
				t.Errorf("after the next start: %v", err)
			}
		})
	}
}

// TestAbsentFileSystem: the mount guard. A folder whose disk is not mounted is
// not served, nothing is written into it, and it is served again as soon as
// the disk is there.
func TestAbsentFileSystem(t *testing.T) {
	ownProgram(t)
	dir := smallDisk(t, "size=4m")
	s := serveFolder(t, dir)
	if err := s.mount().WriteFile("file", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.stop()
	unmount(t, dir)

	s.again()
	if _, err := s.login(s.user, s.password, s.share); err == nil {
		t.Error("the empty folder was served")
	}
	if out := s.command("", "status"); !strings.Contains(out, "not served: ") || !strings.Contains(out, "not mounted?") {
		t.Errorf("status does not say why:\n%s", out)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the folder below the mount holds %v", entries)
	}

	mountSmall(t, dir, "size=4m")
	share, err := s.login(s.user, s.password, s.share)
	if err != nil {
		t.Fatalf("the disk is back, the share is not: %v", err)
	}
	if err := share.WriteFile("again", []byte("x"), 0o644); err != nil {
		t.Error(err)
	}
}
