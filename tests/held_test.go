package tests

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/internal/status"
)

// held is what a server holds.
type held struct {
	live        int64 // bytes in use, as garbage was last collected
	goroutines  int
	descriptors int
}

func (h held) String() string {
	return fmt.Sprintf("%.3f MB in use, %d goroutines, %d descriptors", float64(h.live)/1e6, h.goroutines, h.descriptors)
}

func heldBy(s *status.Snapshot) held {
	return held{s.Memory.Live, s.Memory.Goroutines, s.Memory.Descriptors}
}

// mustEqual demands that nothing was left behind since before, but for so many bytes.
func (h held) mustEqual(t *testing.T, before held, bytes int64) {
	t.Helper()
	if h.goroutines != before.goroutines || h.descriptors != before.descriptors || h.live > before.live+bytes {
		t.Errorf("the server holds %v, and held %v", h, before)
	}
}

// socket is where the running server is asked.
func (s *server) socket() string { return filepath.Join(s.state, "status.sock") }

// ask is snapshot without another process.
func (s *server) ask() *status.Snapshot {
	s.t.Helper()
	snap, err := status.Ask(s.t.Context(), s.socket())
	if err != nil {
		s.t.Fatal(err)
	}
	return snap
}

// reload has the server read its configuration, which must be right.
func (s *server) reload() error {
	answer, err := status.AskReload(s.t.Context(), s.socket())
	if err == nil && len(answer.Errors) > 0 {
		err = fmt.Errorf("the configuration: %v", answer.Errors)
	}
	return err
}

// crowd has so many requests wait at once that the server keeps as many idle
// goroutines from then on as it ever does.
func (s *server) crowd() {
	s.t.Helper()
	const requests = 64
	ctx := s.t.Context()
	tree, err := s.join(ctx, s.share, smbclient.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer tree.Session().Conn().Close()
	making := smbclient.Making("crowd")
	making.Options |= smbwire.DeleteOnClose
	f, err := tree.Create(ctx, making)
	if err == nil {
		err = f.Lock(ctx, smbwire.LockElement{Length: 1, Flags: smbwire.LockExclusive})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	g, err := tree.Create(ctx, making)
	if err != nil {
		s.t.Fatal(err)
	}
	var waiting []*smbclient.Call
	for range requests {
		calls, err := tree.Session().Conn().Start(ctx, &smbclient.Request{Command: smbwire.Lock, Tree: tree,
			Body: g.LockRequest(smbwire.LockElement{Length: 1, Flags: smbwire.LockShared})})
		if err != nil {
			s.t.Fatal(err)
		}
		<-calls[0].Interim()
		waiting = append(waiting, calls[0])
	}
	if err := f.Close(ctx); err != nil {
		s.t.Fatal(err)
	}
	for _, k := range waiting {
		r, err := k.Wait(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		r.Free()
	}
}

// atRest is what the server holds when all clients have left. The server may
// still be about to notice that, so what it held at another such time, if it is
// given, is waited for.
func (s *server) atRest(before held) held {
	s.t.Helper()
	// Buffers that are kept for the next request go with the second collection.
	// Questions make the garbage that brings it about.
	const collections = 3
	deadline := time.Now().Add(20 * time.Second)
	for first := s.ask().Memory.Collections; ; {
		snap := s.ask()
		h := heldBy(snap)
		if snap.Memory.Collections < first+collections {
			continue
		}
		level := h.goroutines == before.goroutines && h.descriptors == before.descriptors
		if len(snap.Sessions) == 0 && (before == held{} || level) || time.Now().After(deadline) {
			return h
		}
	}
}
