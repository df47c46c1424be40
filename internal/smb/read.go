package smb

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// read answers READ ([MS-SMB2] 3.3.5.12). The disk fills the response in place.
func (r *request) read(ctx context.Context, m *smbwire.ReadRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	if !r.transfers(m.Length, m.Channel) || !offsetFits(m.Offset, m.Length) {
		return nil, smbwire.StatusInvalidParameter
	}
	if o.file == nil {
		return o.readPipe(m)
	}
	if o.file.IsDir() {
		return nil, smbwire.StatusInvalidDeviceRequest
	}
	data := r.room(smbwire.ReadDataOffset, int(m.Length))
	n, err := o.file.ReadAt(ctx, data, int64(m.Offset))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	// To SMB2 a short read is a success and an empty one, if anything was
	// asked for, is an error.
	if uint32(n) < m.MinimumCount || n == 0 && m.Length > 0 {
		return nil, smbwire.StatusEndOfFile
	}
	o.position.Store(m.Offset + uint64(n))
	r.moved = n
	return &smbwire.ReadResponse{Data: data[:n]}, nil
}

// transfers reports whether r may move n bytes: no more than was negotiated
// and paid for, and by the connection itself. Before 3.0 the channel was not
// looked at.
func (r *request) transfers(n, channel uint32) bool {
	if channel != smbwire.ChannelNone && r.conn.negotiated.dialect >= smbcrypt.Dialect300 {
		return false
	}
	return n <= r.conn.maxTransfer() && r.charged(n)
}

// maxTransfer is the most that one request moves, as told by NEGOTIATE.
func (c *conn) maxTransfer() uint32 {
	if c.negotiated.largeMTU {
		return maxIO
	}
	return maxSmallIO
}

// offsetFits reports whether n bytes from off on have offsets that a file can
// have.
func offsetFits(off uint64, n uint32) bool { return off <= math.MaxInt64-uint64(n) }

// room returns n bytes of the response at offset off, which a handler fills so
// that they need not be copied. It must be called before anything is written. It
// may wait for the client to take earlier replies.
func (r *request) room(off, n int) []byte {
	ch := r.chain
	large := n > largeBuffer
	if large {
		// What is ready goes out before a wait, or for a frame that would
		// be too long: a chain that waits holds nothing that others wait for.
		if r.start+off+n > maxFrame || !r.conn.unsent.try(n) {
			r.flushBefore()
			r.conn.unsent.take(n)
		}
	}
	if need := r.start + off + n; need > cap(ch.out.b) {
		// A buffer from the pool, instead of one that a Writer would make.
		larger := newBuffer(need + 8) // room for padding
		larger.b = append(larger.b, ch.out.b[:r.start]...)
		larger.budget, larger.charge = ch.out.budget, ch.out.charge
		ch.out.budget, ch.out.charge = nil, 0
		ch.out.free()
		ch.out = larger
		r.out.Reset(larger.b)
		r.out.Zero(smbwire.HeaderSize)
	}
	if large {
		ch.out.charged(r.conn.unsent, n)
	}
	return r.out.Free(off-smbwire.HeaderSize, n)[:n]
}
