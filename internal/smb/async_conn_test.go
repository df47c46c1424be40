package smb_test

import (
	"context"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// firstByte is the lock of the first byte of a file.
var firstByte = smbwire.LockElement{Length: 1, Flags: smbwire.LockExclusive}

// contest locks a file and has a second open of it wait for the lock, on a
// tree of its own. The waiting request is past its interim response.
func contest(t testing.TB, h *host, o smbclient.Options) (holder, waiter *smbclient.File, call *smbclient.Call) {
	t.Helper()
	holder = makeFile(t, h.use(t, o), "contested", 10)
	if err := holder.Lock(t.Context(), firstByte); err != nil {
		t.Fatal(err)
	}
	waiter, err := h.use(t, o).Open(t.Context(), "contested", smbwire.GenericRead|smbwire.GenericWrite)
	if err != nil {
		t.Fatal(err)
	}
	return holder, waiter, waitForLock(t, waiter)
}

func waitForLock(t testing.TB, f *smbclient.File) *smbclient.Call {
	t.Helper()
	calls, err := f.Tree().Session().Conn().Start(t.Context(), &smbclient.Request{
		Command: smbwire.Lock, Tree: f.Tree(), Body: f.LockRequest(firstByte)})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-calls[0].Interim():
	case <-calls[0].Done():
		r, err := calls[0].Wait(t.Context())
		t.Fatalf("the lock does not wait: %+v, %v", r, err)
	case <-time.After(10 * time.Second):
		t.Fatal("there is no interim response")
	}
	return calls[0]
}

// wantEnd compares the final status of a request that waits.
func wantEnd(t testing.TB, call *smbclient.Call, want smbwire.Status) {
	t.Helper()
	select {
	case <-call.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the request still waits")
	}
	r, err := call.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Free()
	if r.Header.Status != want {
		t.Errorf("%v, want %v", r.Header.Status, want)
	}
	if r.Header.Flags&smbwire.FlagAsync == 0 || r.Header.AsyncID == 0 || r.Header.Credits != 0 {
		t.Errorf("the final response is %+v: not async, or it grants what the interim response did", r.Header)
	}
}

func TestWaitingRequests(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, holder, waiter *smbclient.File, call *smbclient.Call)
		want smbwire.Status
	}{
		{"are served", func(t *testing.T, holder, _ *smbclient.File, _ *smbclient.Call) {
			unlock := firstByte
			unlock.Flags = smbwire.LockUnlock
			if err := holder.Lock(t.Context(), unlock); err != nil {
				t.Error(err)
			}
		}, smbwire.StatusOK},
		{"are served when the holder closes", func(t *testing.T, holder, _ *smbclient.File, _ *smbclient.Call) {
			if err := holder.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}, smbwire.StatusOK},
		{"are served when the holder is gone", func(t *testing.T, holder, _ *smbclient.File, _ *smbclient.Call) {
			holder.Tree().Session().Conn().Close()
		}, smbwire.StatusOK},
		{"are canceled", func(_ *testing.T, _, _ *smbclient.File, call *smbclient.Call) { call.Cancel() }, smbwire.StatusCancelled},
		{"end with their file", func(t *testing.T, _, waiter *smbclient.File, _ *smbclient.Call) {
			if err := waiter.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}, smbwire.StatusRangeNotLocked},
		{"end with their tree", func(t *testing.T, _, waiter *smbclient.File, _ *smbclient.Call) {
			if err := waiter.Tree().Disconnect(t.Context()); err != nil {
				t.Error(err)
			}
		}, smbwire.StatusRangeNotLocked},
		{"end with their session", func(t *testing.T, _, waiter *smbclient.File, _ *smbclient.Call) {
			if err := waiter.Tree().Session().Logoff(t.Context()); err != nil {
				t.Error(err)
			}
		}, smbwire.StatusRangeNotLocked},
	} {
		for name, o := range map[string]smbclient.Options{
			"plain": {}, "signed": {RequireSigning: true}, "encrypted": {Encrypt: true}, "2.0.2": {Dialects: allDialects[:1]},
		} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				holder, waiter, call := contest(t, newHost(t), o)
				tt.end(t, holder, waiter, call)
				wantEnd(t, call, tt.want)
			})
		}
	}
}

func TestLostConnectionEndsItsWaiting(t *testing.T) {
	h := newHost(t)
	holder, waiter, _ := contest(t, h, smbclient.Options{})
	waiter.Tree().Session().Conn().Close()
	if err := holder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Nobody holds the lock now, least of all the one who is gone.
	f, err := h.use(t, smbclient.Options{}).Open(t.Context(), "contested", smbwire.GenericRead|smbwire.GenericWrite)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := f.Lock(ctx, firstByte); err != nil {
		t.Error(err)
	}
}

// CANCEL names its target by the message id where there was no interim
// response, or the client has not seen it yet.
func TestCancelByMessageID(t *testing.T) {
	h := newHost(t)
	_, waiter, call := contest(t, h, smbclient.Options{RequireSigning: true})
	c := waiter.Tree().Session().Conn()
	header := call.Header()
	cancel := &smbclient.Request{Command: smbwire.Cancel, Session: waiter.Tree().Session(), Body: &smbwire.CancelRequest{},
		Edit: func(h *smbwire.Header) { h.MessageID = header.MessageID }}
	c.Send(cancel)
	wantEnd(t, call, smbwire.StatusCancelled)
}

func TestCancelOfNothing(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{RequireSigning: true})
	for _, id := range []uint64{0, 1, 1 << 40} {
		s.Conn().Send(&smbclient.Request{Command: smbwire.Cancel, Session: s, Body: &smbwire.CancelRequest{},
			Edit: func(h *smbwire.Header) { h.MessageID = id }})
	}
	wantAlive(t, s)
}

// Somebody on the way can't cancel what he can't sign.
func TestCancelIsVerified(t *testing.T) {
	h := newHost(t)
	holder, waiter, call := contest(t, h, smbclient.Options{RequireSigning: true})
	header := call.Header()
	for _, edit := range []func(*smbwire.Header){
		func(h *smbwire.Header) { h.MessageID = header.MessageID; h.Flags |= smbwire.FlagSigned },
		func(h *smbwire.Header) { h.MessageID = header.MessageID },
	} {
		waiter.Tree().Session().Conn().Send(&smbclient.Request{
			Command: smbwire.Cancel, Session: waiter.Tree().Session(), Body: &smbwire.CancelRequest{}, Plain: true, Edit: edit})
	}
	wantAlive(t, waiter.Tree().Session())
	if err := holder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantEnd(t, call, smbwire.StatusOK)
}

// Requests that wait hold no worker and do not stop those that come after them
// on the same connection.
func TestWaitingRequestsHoldNothing(t *testing.T) {
	h := newHost(t)
	holder, waiter, first := contest(t, h, smbclient.Options{})
	calls := []*smbclient.Call{first}
	for range 200 {
		calls = append(calls, waitForLock(t, waiter))
	}
	wantAlive(t, waiter.Tree().Session())
	if err := waiter.Tree().WriteFile(t.Context(), "other", []byte("x")); err != nil {
		t.Error(err)
	}
	for _, call := range calls[1:] {
		call.Cancel()
	}
	for _, call := range calls[1:] {
		wantEnd(t, call, smbwire.StatusCancelled)
	}
	if err := holder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantEnd(t, first, smbwire.StatusOK)
}

// Only so many requests of a connection wait. The credits of those that do are
// given anew, so without a bound a client could have any number of them.
func TestWaitingRequestsAreBounded(t *testing.T) {
	h := newHost(t)
	const bound = 512
	_, waiter, first := contest(t, h, smbclient.Options{})
	for range bound - 1 {
		waitForLock(t, waiter)
	}
	one := &smbclient.Request{Command: smbwire.Lock, Tree: waiter.Tree(), Body: waiter.LockRequest(firstByte)}
	wantStatus(t, waiter.Tree().Session().Conn(), one, smbwire.StatusInsufficientResources)
	wantAlive(t, waiter.Tree().Session())
	waitForLock(t, h.openContested(t))

	first.Cancel()
	wantEnd(t, first, smbwire.StatusCancelled)
	waitForLock(t, waiter)
}

// openContested opens what contest locked, on a connection of its own.
func (h *host) openContested(t testing.TB) *smbclient.File {
	t.Helper()
	f, err := h.use(t, smbclient.Options{}).Open(t.Context(), "contested", smbwire.GenericRead|smbwire.GenericWrite)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A compound that comes to wait sends what is done before it and goes on
// afterwards.
func TestCompoundsThatWait(t *testing.T) {
	for name, o := range map[string]smbclient.Options{"plain": {}, "signed": {RequireSigning: true}, "encrypted": {Encrypt: true}} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			holder := makeFile(t, h.use(t, o), "contested", 10)
			if err := holder.Lock(t.Context(), firstByte); err != nil {
				t.Fatal(err)
			}
			tr := h.use(t, o)
			requests := []*smbclient.Request{
				{Command: smbwire.Create, Body: smbclient.Existing("contested", smbwire.GenericRead|smbwire.GenericWrite)},
				{Command: smbwire.Lock, Body: &smbwire.LockRequest{FileID: smbwire.RelatedFileID, Locks: []smbwire.LockElement{firstByte}}},
				reading(5),
				closing(),
			}
			for i, r := range requests {
				r.Tree, r.Related = tr, i > 0
			}
			calls, err := tr.Session().Conn().Start(t.Context(), requests...)
			if err != nil {
				t.Fatal(err)
			}
			<-calls[1].Interim()
			select {
			case <-calls[0].Done():
			case <-time.After(10 * time.Second):
				t.Fatal("what was done before the wait is not answered")
			}
			if err := holder.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantEnd(t, calls[1], smbwire.StatusOK)
			for _, call := range calls[2:] {
				r, err := call.Wait(t.Context())
				if err != nil || r.Err() != nil {
					t.Errorf("%v: %v, %v", call.Header().Command, r, err)
				}
			}
		})
	}
}
