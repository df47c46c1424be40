package smb_test

import (
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

const (
	shared    = smbwire.LockShared | smbwire.LockFailImmediately
	exclusive = smbwire.LockExclusive | smbwire.LockFailImmediately
	unlock    = smbwire.LockUnlock
)

func TestLocks(t *testing.T) {
	tree := emptyTree(t)
	a := newFile(t, tree, "file", "0123456789")
	b := open(t, tree, smbclient.Existing("file", smbwire.GenericRead|smbwire.GenericWrite))
	el := func(off, n uint64, flags smbwire.LockFlags) smbwire.LockElement {
		return smbwire.LockElement{Offset: off, Length: n, Flags: flags}
	}
	for _, tt := range []struct {
		name  string
		file  *smbclient.File
		locks []smbwire.LockElement
		want  smbwire.Status
	}{
		{"a locks", a, []smbwire.LockElement{el(0, 5, exclusive)}, smbwire.StatusOK},
		{"b wants it too", b, []smbwire.LockElement{el(4, 1, shared)}, smbwire.StatusLockNotGranted},
		{"b locks the rest", b, []smbwire.LockElement{el(5, 5, exclusive)}, smbwire.StatusOK},
		{"b wants one free and one not: none", b, []smbwire.LockElement{el(20, 1, exclusive), el(0, 1, exclusive)}, smbwire.StatusLockNotGranted},
		{"a takes the free one", a, []smbwire.LockElement{el(20, 1, exclusive)}, smbwire.StatusOK},
		{"b unlocks what a has", b, []smbwire.LockElement{el(0, 5, unlock)}, smbwire.StatusRangeNotLocked},
		{"a unlocks half", a, []smbwire.LockElement{el(0, 2, unlock)}, smbwire.StatusRangeNotLocked},
		{"a unlocks two", a, []smbwire.LockElement{el(0, 5, unlock), el(20, 1, unlock)}, smbwire.StatusOK},
		{"b has it now", b, []smbwire.LockElement{el(4, 1, shared)}, smbwire.StatusOK},
	} {
		wants(t, tt.name, tt.file.Lock(t.Context(), tt.locks...), tt.want)
	}
	if status := send(t, tree, smbwire.Write, &smbwire.WriteRequest{FileID: a.ID(), Offset: 4, Data: []byte("x")}, nil); status != smbwire.StatusFileLockConflict {
		t.Errorf("WRITE over a lock: %v", status)
	}
	if status := send(t, tree, smbwire.Read, &smbwire.ReadRequest{FileID: a.ID(), Offset: 5, Length: 1}, nil); status != smbwire.StatusFileLockConflict {
		t.Errorf("READ of what is locked: %v", status)
	}
}

func TestLockIsNotRepeated(t *testing.T) {
	addr := serve(t, memfs.New(), share.Options{})
	for _, tt := range []struct {
		dialect smbwire.Dialect
		want    smbwire.Status // of a request that comes twice
	}{
		{smbwire.Dialect210, smbwire.StatusLockNotGranted},
		{smbwire.Dialect302, smbwire.StatusOK},
		{smbwire.Dialect311, smbwire.StatusOK},
	} {
		tree := connect(t, addr, shareName, smbclient.Options{Dialects: []smbwire.Dialect{tt.dialect}})
		f := newFile(t, tree, "file "+tt.dialect.String(), "0123456789")
		m := &smbwire.LockRequest{LockSequence: 1<<4 | 1, FileID: f.ID(), Locks: []smbwire.LockElement{{Length: 1, Flags: exclusive}}}
		if status := send(t, tree, smbwire.Lock, m, nil); status != smbwire.StatusOK {
			t.Fatalf("LOCK: %v", status)
		}
		if status := send(t, tree, smbwire.Lock, m, nil); status != tt.want {
			t.Errorf("LOCK again with %v: %v, want %v", tt.dialect, status, tt.want)
		}
	}
}

// waiting sends a LOCK of the first byte that has to wait, and returns when the
// server said so.
func waiting(t *testing.T, f *smbclient.File) *smbclient.Call {
	t.Helper()
	m := f.LockRequest(smbwire.LockElement{Length: 1, Flags: smbwire.LockExclusive})
	calls, err := f.Tree().Session().Conn().Start(t.Context(), &smbclient.Request{Command: smbwire.Lock, Body: m, Tree: f.Tree()})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-calls[0].Interim():
	case <-calls[0].Done():
		t.Fatal("LOCK did not wait")
	case <-time.After(10 * time.Second):
		t.Fatal("LOCK was not answered")
	}
	return calls[0]
}

// status waits for the response of a call.
func ended(t *testing.T, call *smbclient.Call) smbwire.Status {
	t.Helper()
	r, err := call.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Header.Status
}

func TestWaitingForALock(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, holder, waiter *smbclient.File, call *smbclient.Call)
		want smbwire.Status
	}{
		{"until it is unlocked", func(t *testing.T, holder, _ *smbclient.File, _ *smbclient.Call) {
			wants(t, "unlock", holder.Lock(t.Context(), smbwire.LockElement{Length: 1, Flags: unlock}), smbwire.StatusOK)
		}, smbwire.StatusOK},
		{"until the holder is closed", func(t *testing.T, holder, _ *smbclient.File, _ *smbclient.Call) {
			wants(t, "CLOSE", holder.Close(t.Context()), smbwire.StatusOK)
		}, smbwire.StatusOK},
		{"until it is canceled", func(t *testing.T, _, _ *smbclient.File, call *smbclient.Call) {
			call.Cancel()
		}, smbwire.StatusCancelled},
		{"until the waiter is closed", func(t *testing.T, _, waiter *smbclient.File, _ *smbclient.Call) {
			wants(t, "CLOSE", waiter.Close(t.Context()), smbwire.StatusOK)
		}, smbwire.StatusRangeNotLocked},
		{"until the tree is disconnected", func(t *testing.T, _, waiter *smbclient.File, _ *smbclient.Call) {
			wants(t, "TREE_DISCONNECT", waiter.Tree().Disconnect(t.Context()), smbwire.StatusOK)
		}, smbwire.StatusRangeNotLocked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serve(t, memfs.New(), share.Options{})
			holder := newFile(t, connect(t, addr, shareName, smbclient.Options{}), "file", "0")
			waiter := open(t, connect(t, addr, shareName, smbclient.Options{}), smbclient.Existing("file", smbwire.GenericRead|smbwire.GenericWrite))
			wants(t, "LOCK", holder.Lock(t.Context(), smbwire.LockElement{Length: 1, Flags: exclusive}), smbwire.StatusOK)
			call := waiting(t, waiter)
			tt.end(t, holder, waiter, call)
			if got := ended(t, call); got != tt.want {
				t.Errorf("LOCK ended with %v, want %v", got, tt.want)
			}
		})
	}
}

// told is what a client was told about an oplock.
type told struct {
	file smbwire.FileID
	to   smbwire.OplockLevel
}

func TestOplockBreak(t *testing.T) {
	for _, tt := range []struct {
		name     string
		asked    smbwire.OplockLevel
		answer   func(t *testing.T, f *smbclient.File)
		leftover smbwire.OplockLevel // what the second open is granted, who asks for all
	}{
		{"acknowledged down to level II", smbwire.OplockBatch, func(t *testing.T, f *smbclient.File) {
			wants(t, "OPLOCK_BREAK", f.AcknowledgeBreak(t.Context(), smbwire.OplockII), smbwire.StatusOK)
		}, smbwire.OplockII},
		{"acknowledged down to none", smbwire.OplockExclusive, func(t *testing.T, f *smbclient.File) {
			wants(t, "OPLOCK_BREAK", f.AcknowledgeBreak(t.Context(), smbwire.OplockNone), smbwire.StatusOK)
		}, smbwire.OplockII},
		{"answered by CLOSE", smbwire.OplockBatch, func(t *testing.T, f *smbclient.File) {
			wants(t, "CLOSE", f.Close(t.Context()), smbwire.StatusOK)
		}, smbwire.OplockBatch},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serve(t, memfs.New(), share.Options{})
			breaks := make(chan told, 10)
			holding := connect(t, addr, shareName, smbclient.Options{
				OnBreak: func(file smbwire.FileID, to smbwire.OplockLevel) { breaks <- told{file, to} },
			})
			m := smbclient.Making("file")
			m.OplockLevel = tt.asked
			holder := open(t, holding, m)
			if got := holder.Info().OplockLevel; got != tt.asked {
				t.Fatalf("granted oplock %#x, asked for %#x", got, tt.asked)
			}
			wants(t, "OPLOCK_BREAK without a break", holder.AcknowledgeBreak(t.Context(), smbwire.OplockNone), smbwire.StatusInvalidOplockProtocol)

			second := connect(t, addr, shareName, smbclient.Options{})
			m = smbclient.Existing("file", smbwire.GenericRead)
			m.OplockLevel = smbwire.OplockBatch
			calls, err := second.Session().Conn().Start(t.Context(), &smbclient.Request{Command: smbwire.Create, Body: m, Tree: second})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := <-breaks, (told{holder.ID(), smbwire.OplockII}); got != want {
				t.Errorf("told %+v, want %+v", got, want)
			}
			<-calls[0].Interim()
			tt.answer(t, holder)
			r, err := calls[0].Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var opened smbwire.CreateResponse
			if err := r.Decode(&opened); err != nil || r.Err() != nil {
				t.Fatal(err, r.Err())
			}
			if opened.OplockLevel != tt.leftover {
				t.Errorf("the second open was granted %#x, want %#x", opened.OplockLevel, tt.leftover)
			}
		})
	}
}
