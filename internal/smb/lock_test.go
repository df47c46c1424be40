package smb

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

func TestLockSequence(t *testing.T) {
	request := func(index uint32, number uint8) *smbwire.LockRequest {
		return &smbwire.LockRequest{LockSequence: index<<4 | uint32(number)}
	}
	var s lockSequence
	if s.done(request(1, 0)) {
		t.Error("a first request was done before")
	}
	s.remember(request(1, 0))
	s.remember(request(64, 15))
	if !s.done(request(1, 0)) || !s.done(request(64, 15)) || s.done(request(2, 0)) {
		t.Error("requests are not told apart by their index")
	}
	if s.done(request(1, 1)) {
		t.Error("another number of the same index was done before")
	}
	if s.done(request(1, 0)) {
		t.Error("a request is remembered though a later one of its index was begun")
	}
	for _, m := range []*smbwire.LockRequest{request(0, 3), request(65, 3), request(1<<28-1, 3)} {
		s.remember(m)
		if s.done(m) {
			t.Errorf("index %d is none and was remembered", m.LockSequenceIndex())
		}
	}
}

func TestLockRequestsThatMakeNoSense(t *testing.T) {
	const atOnce = smbwire.LockFailImmediately
	one := func(flags smbwire.LockFlags) smbwire.LockElement { return smbwire.LockElement{Length: 1, Flags: flags} }
	var o open
	for _, tt := range []struct {
		name  string
		locks []smbwire.LockElement
		want  error
	}{
		{"no flag", []smbwire.LockElement{one(0)}, smbwire.StatusInvalidParameter},
		{"two kinds", []smbwire.LockElement{one(smbwire.LockShared | smbwire.LockExclusive)}, smbwire.StatusInvalidParameter},
		{"at once, but what", []smbwire.LockElement{one(atOnce)}, smbwire.StatusInvalidParameter},
		{"unknown flag", []smbwire.LockElement{one(smbwire.LockShared | 8)}, smbwire.StatusInvalidParameter},
		{"waiting for two", []smbwire.LockElement{one(smbwire.LockShared), one(smbwire.LockShared)}, smbwire.StatusInvalidParameter},
		{"waiting for the second", []smbwire.LockElement{one(smbwire.LockShared | atOnce), one(smbwire.LockShared)}, smbwire.StatusInvalidParameter},
		{"lock and unlock", []smbwire.LockElement{one(smbwire.LockShared | atOnce), one(smbwire.LockUnlock)}, smbwire.StatusInvalidParameter},
		{"beyond all offsets", []smbwire.LockElement{{Offset: 1<<64 - 1, Length: 2, Flags: smbwire.LockShared | atOnce}}, smbwire.StatusInvalidLockRange},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := o.lockRanges(t.Context(), tt.locks); err != tt.want {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
	for _, flags := range []smbwire.LockFlags{smbwire.LockUnlock | atOnce, smbwire.LockUnlock | smbwire.LockShared, smbwire.LockUnlock | smbwire.LockExclusive} {
		if err := o.unlockRanges([]smbwire.LockElement{one(flags)}); err != smbwire.StatusInvalidParameter {
			t.Errorf("unlock with flags %#x: %v", uint32(flags), err)
		}
	}
}
