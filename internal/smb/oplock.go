package smb

import (
	"context"
	"sync"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// oplockLevels are the levels on the wire of those in a share.
var oplockLevels = [...]smbwire.OplockLevel{
	lock.None:      smbwire.OplockNone,
	lock.LevelII:   smbwire.OplockII,
	lock.Exclusive: smbwire.OplockExclusive,
	lock.Batch:     smbwire.OplockBatch,
}

// oplock is what the client of an open was told about its oplock.
type oplock struct {
	mu        sync.Mutex
	announced bool // the response to CREATE is on its way: the client knows the id
	broken    bool // before that; the client is told to afterwards
	to        share.Oplock
}

// BreakOplock implements share.Holder: it sends the client a notification
// ([MS-SMB2] 3.3.4.6), but never before it knows the file's id.
func (o *open) BreakOplock(_ *share.Open, to share.Oplock) {
	o.oplock.mu.Lock()
	announced := o.oplock.announced
	o.oplock.broken, o.oplock.to = !announced, to
	o.oplock.mu.Unlock()
	if announced {
		o.notify(to)
	}
}

// announce is called when the response to CREATE is on its way.
func (o *open) announce() {
	o.oplock.mu.Lock()
	o.oplock.announced = true
	broken, to := o.oplock.broken, o.oplock.to
	o.oplock.mu.Unlock()
	if broken {
		o.notify(to)
	}
}

// notify tells the client that its oplock is broken.
func (o *open) notify(to share.Oplock) {
	s := o.tree.session
	out := newBuffer(headRoom + 128)
	var w cursor.Writer
	w.Reset(out.b[:headRoom])
	h := smbwire.Header{Command: smbwire.OplockBreak, Flags: smbwire.FlagResponse, MessageID: smbwire.NoMessageID}
	h.Encode(&w)
	(&smbwire.OplockBreakMessage{OplockLevel: oplockLevels[to], FileID: o.id}).Encode(&w)
	out.adopt(w.Buffer())
	sealed := s.mustSeal || o.tree.encrypt
	if sealed {
		s.seal(out)
	}
	s.conn.post(out, sealed)
}

// oplockBreak answers OPLOCK_BREAK, by which a client acknowledges the break
// of an oplock ([MS-SMB2] 3.3.5.22.1).
func (r *request) oplockBreak(_ context.Context, m *smbwire.OplockBreakMessage) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	switch m.OplockLevel {
	case smbwire.OplockNone, smbwire.OplockII:
	case smbwire.OplockLease:
		return nil, smbwire.StatusInvalidParameter
	default:
		return nil, smbwire.StatusInvalidOplockProtocol
	}
	if o.file == nil {
		return nil, smbwire.StatusInvalidOplockProtocol
	}
	now, err := o.file.AcknowledgeBreak(oplockOf(m.OplockLevel))
	if err != nil {
		return nil, smbwire.StatusInvalidOplockProtocol
	}
	return &smbwire.OplockBreakMessage{OplockLevel: oplockLevels[now], FileID: o.id}, nil
}
