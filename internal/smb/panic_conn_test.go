package smb_test

import (
	"sync/atomic"
	"testing"

	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// TestAPanicCostsOneConnection makes a handler fail as a fault of the program
// would: its client loses the connection, the others notice nothing.
func TestAPanicCostsOneConnection(t *testing.T) {
	var faulty atomic.Uint64
	t.Cleanup(smb.BreakEcho(func(session uint64) bool { return session == faulty.Load() }))
	h := newHost(t)
	bystander := h.login(t, smbclient.Options{})
	victim := h.login(t, smbclient.Options{})
	faulty.Store(victim.ID())

	if err := victim.Echo(t.Context()); err == nil {
		t.Error("the ECHO that panics was answered")
	}
	if err := bystander.Echo(t.Context()); err != nil {
		t.Errorf("the other connection: %v", err)
	}
}
