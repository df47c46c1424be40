package smb

import (
	"context"
	"sync"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// lock answers LOCK ([MS-SMB2] 3.3.5.14): all of its elements lock, or all
// unlock.
func (r *request) lock(ctx context.Context, m *smbwire.LockRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	switch {
	case o.file == nil:
		return nil, smbwire.StatusInvalidDeviceRequest
	case o.file.IsDir():
		return nil, smbwire.StatusInvalidParameter // [MS-FSA] 2.1.5.8
	}
	verify := r.conn.negotiated.dialect >= smbcrypt.Dialect300
	if verify && o.lockSequence.done(m) {
		return &smbwire.LockResponse{}, nil
	}
	if m.Locks[0].Flags&smbwire.LockUnlock != 0 {
		err = o.unlockRanges(m.Locks)
	} else {
		err = o.lockRanges(ctx, m.Locks)
	}
	if err != nil {
		return nil, err
	}
	if verify {
		o.lockSequence.remember(m)
	}
	return &smbwire.LockResponse{}, nil
}

// unlockRanges unlocks one element after the other ([MS-SMB2] 3.3.5.14.1). Those
// before one that fails stay unlocked.
func (o *open) unlockRanges(locks []smbwire.LockElement) error {
	for _, l := range locks {
		if l.Flags&(smbwire.LockShared|smbwire.LockExclusive|smbwire.LockFailImmediately) != 0 {
			return smbwire.StatusInvalidParameter
		}
		if err := o.file.Unlock([]share.Range{{Offset: l.Offset, Length: l.Length}}); err != nil {
			return err
		}
	}
	return nil
}

// lockRanges locks all elements or none ([MS-SMB2] 3.3.5.14.2). It may wait for
// a single one only.
func (o *open) lockRanges(ctx context.Context, locks []smbwire.LockElement) error {
	ranges := make([]share.Range, len(locks))
	wait := false
	for i, l := range locks {
		if l.Flags&smbwire.LockFailImmediately == 0 {
			wait = true
		}
		kind := l.Flags &^ smbwire.LockFailImmediately
		if kind != smbwire.LockShared && kind != smbwire.LockExclusive || wait && len(locks) > 1 {
			return smbwire.StatusInvalidParameter
		}
		if l.Length > 0 && l.Offset+l.Length-1 < l.Offset {
			return smbwire.StatusInvalidLockRange
		}
		ranges[i] = share.Range{Offset: l.Offset, Length: l.Length, Exclusive: kind == smbwire.LockExclusive}
	}
	err := o.file.Lock(ctx, ranges, wait)
	if vfs.IsKind(err, vfs.KindLocked) {
		return smbwire.StatusLockNotGranted // only reads and writes call it a conflict
	}
	return err
}

// lockSequence tells whether a LOCK was done before: a client that lost its
// connection does not know, and sends it again ([MS-SMB2] 3.3.1.10,
// Open.LockSequenceArray).
type lockSequence struct {
	mu      sync.Mutex
	numbers *[maxLockSequence + 1]uint8 // number + 1 of the last request of an index; nil before the first
}

// maxLockSequence is the greatest index a client may use.
const maxLockSequence = 64

// done reports whether m was done before. If not, a request of the same index
// and another number was not either from now on.
func (s *lockSequence) done(m *smbwire.LockRequest) bool {
	i := m.LockSequenceIndex()
	if i == 0 || i > maxLockSequence {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.numbers == nil {
		return false
	}
	if s.numbers[i] == m.LockSequenceNumber()+1 {
		return true
	}
	s.numbers[i] = 0
	return false
}

// remember notes that m was done.
func (s *lockSequence) remember(m *smbwire.LockRequest) {
	i := m.LockSequenceIndex()
	if i == 0 || i > maxLockSequence {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.numbers == nil {
		s.numbers = new([maxLockSequence + 1]uint8)
	}
	s.numbers[i] = m.LockSequenceNumber() + 1
}
