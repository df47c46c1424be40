package smb_test

import (
	"sync/atomic"
	"testing"

	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// TestASlowRequestHoldsUpNoOther has a request take long, as one does that waits
// for a disk or for a large folder to be read. Others on the same connection are
// answered meanwhile, whichever came first.
func TestASlowRequestHoldsUpNoOther(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	var slow atomic.Bool
	t.Cleanup(smb.BreakEcho(func(uint64) bool {
		if slow.Swap(false) {
			entered <- struct{}{}
			<-release
		}
		return false
	}))
	h := newHost(t)
	s := h.login(t, smbclient.Options{})
	for range 20 { // again and again the reader is another goroutine
		slow.Store(true)
		answered := make(chan error, 1)
		go func() { answered <- s.Echo(t.Context()) }()
		<-entered
		for range 3 {
			promptly(t, func() error { return s.Echo(t.Context()) })
		}
		release <- struct{}{}
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
}
