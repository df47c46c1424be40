package smb_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// Clients that open, lock, wait, cancel, close, disconnect and log off at the
// same moment, on the same files, trees and sessions, get an answer to
// everything; afterwards nothing is left (CVE-2022-47939 and its kin).
func TestChaos(t *testing.T) {
	h := newHost(t)
	// No deadline: on a busy machine a dial can fail by one before ctx says that
	// it has ended, which would look like a server that does not answer.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer time.AfterFunc(chaosTime(t), cancel).Stop()
	var all sync.WaitGroup
	for i, o := range []smbclient.Options{{}, {RequireSigning: true}, {Encrypt: true}, {Dialects: allDialects[:2]}} {
		all.Go(func() {
			for round := uint64(0); ctx.Err() == nil; round++ {
				chaos(t, h, ctx, o, rand.New(rand.NewPCG(uint64(i), round)))
			}
		})
	}
	all.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for {
		sessions, connections := h.Sessions()
		if len(sessions) == 0 && connections == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions and %d connections are left", len(sessions), connections)
		}
		time.Sleep(10 * time.Millisecond)
	}
	// What the clients left open was closed: all can be deleted.
	tr := h.use(t, smbclient.Options{})
	for i := range chaosFiles {
		err := tr.Remove(t.Context(), chaosName(i))
		if err != nil && !errors.Is(err, smbwire.StatusObjectNameNotFound) {
			t.Errorf("%s: %v", chaosName(i), err)
		}
	}
}

const chaosFiles = 3

func chaosName(i int) string { return fmt.Sprintf("chaos-%d", i) }

func chaosTime(t *testing.T) time.Duration {
	if testing.Short() {
		return 300 * time.Millisecond
	}
	return 2 * time.Second
}

// chaos uses one connection by several goroutines until it is closed by the
// last of them.
func chaos(t *testing.T, h *host, ctx context.Context, o smbclient.Options, random *rand.Rand) {
	c, err := smbclient.Connect(ctx, h.addr, o)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return
	}
	defer c.Close()
	s, err := c.Login(ctx, anna)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return
	}
	tr, err := s.Tree(ctx, "test")
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return
	}
	var all sync.WaitGroup
	for range 6 {
		mine := rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
		all.Go(func() {
			for range 20 {
				if !wild(t, tr, mine) {
					return
				}
			}
		})
	}
	if random.IntN(2) == 0 { // let it end in the middle
		time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
		switch random.IntN(3) {
		case 0:
			tr.Disconnect(ctx)
		case 1:
			s.Logoff(ctx)
		case 2:
			c.Close()
		}
	}
	all.Wait()
}

// wild does one thing to one file. It reports whether to go on.
func wild(t *testing.T, tr *smbclient.Tree, random *rand.Rand) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c := tr.Session().Conn()
	name := chaosName(random.IntN(chaosFiles))
	var requests []*smbclient.Request
	switch random.IntN(6) {
	case 0:
		requests = []*smbclient.Request{creating(name), writing("chaos"), reading(10), closing()}
	case 1, 2: // an open that nobody closes
		requests = []*smbclient.Request{creating(name), writing("left")}
	case 3, 4:
		lock := &smbclient.Request{Command: smbwire.Lock, Body: &smbwire.LockRequest{
			FileID: smbwire.RelatedFileID, Locks: []smbwire.LockElement{firstByte}}}
		requests = []*smbclient.Request{creating(name), lock, reading(10), closing()}
	case 5:
		remove := &smbclient.Request{Command: smbwire.Create, Body: &smbwire.CreateRequest{
			ImpersonationLevel: smbwire.ImpersonationImpersonation, DesiredAccess: smbwire.Delete,
			ShareAccess: smbwire.ShareRead | smbwire.ShareWrite | smbwire.ShareDelete,
			Disposition: smbwire.FileOpen, Options: smbwire.DeleteOnClose, Name: name}}
		requests = []*smbclient.Request{remove, closing()}
	}
	for i, r := range requests {
		r.Tree, r.Related = tr, i > 0
	}
	calls, err := c.Start(ctx, requests...)
	if err != nil {
		return false
	}
	if random.IntN(3) == 0 {
		calls[random.IntN(len(calls))].Cancel()
	}
	for i, k := range calls {
		patience := 50 * time.Millisecond
		for {
			select {
			case <-k.Done():
			case <-time.After(patience):
				if ctx.Err() != nil {
					t.Errorf("%v, the %d. of %d, has no answer", k.Header().Command, i+1, len(calls))
					return false
				}
				k.Cancel()
				patience = time.Second
				continue
			}
			break
		}
		r, err := k.Wait(ctx)
		if errors.Is(err, smbclient.ErrProtocol) && !errors.Is(err, smbwire.StatusUserSessionDeleted) {
			t.Errorf("%v: %v", k.Header().Command, err)
		}
		if err != nil {
			return false
		}
		r.Free()
	}
	return true
}
