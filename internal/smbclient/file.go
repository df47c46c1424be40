package smbclient

import (
	"context"
	"fmt"
	"io"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// creditUnit is how many bytes a credit pays for ([MS-SMB2] 3.1.5.2).
const creditUnit = 64 << 10

// charge is what a request with a payload of n bytes costs.
func charge(n int) uint16 { return uint16(max(1, (n+creditUnit-1)/creditUnit)) }

// maxOf is the size of one READ or WRITE, by what the server takes and the
// client can pay for. Without multi-credit messages that is one credit.
func (f *File) maxOf(server uint32) int {
	c := f.tree.session.conn
	most := int(min(server, maxFrame-creditUnit))
	if c.agreed.Capabilities&smbwire.CapLargeMTU == 0 {
		return min(most, creditUnit)
	}
	return min(most, c.credits.want*creditUnit)
}

// ReadBlock reads up to n bytes at off, with one request, and returns them
// without a copy. At the end of the file the error is io.EOF.
func (f *File) ReadBlock(ctx context.Context, n int, off int64) (*Block, error) {
	n = min(n, f.maxOf(f.tree.session.conn.agreed.MaxRead))
	r, err := f.tree.session.conn.Do(ctx, &Request{
		Command: smbwire.Read,
		Tree:    f.tree,
		Charge:  charge(n),
		Body:    &smbwire.ReadRequest{Length: uint32(n), Offset: uint64(off), FileID: f.id},
	})
	if err != nil {
		return nil, err
	}
	var answer smbwire.ReadResponse
	switch {
	case r.Header.Status == smbwire.StatusEndOfFile:
		err = io.EOF
	case r.Header.Status == smbwire.StatusBufferOverflow: // a pipe has more
		err = r.Decode(&answer)
	default:
		if err = r.Err(); err == nil {
			err = r.Decode(&answer)
		}
	}
	if err == nil && len(answer.Data) > n {
		err = fmt.Errorf("%w: %d bytes answer a READ of %d", ErrProtocol, len(answer.Data), n)
	}
	if err != nil {
		r.Free()
		return nil, err
	}
	return &Block{answer.Data, r.frame}, nil
}

// WriteBlock writes b at off, with one request, without a copy. b must not be
// longer than the server takes. It can be written again, unless there was an
// error or the session encrypts, which happens in its memory.
func (f *File) WriteBlock(ctx context.Context, b *Block, off int64) error {
	return f.write(ctx, b, off)
}

func (f *File) write(ctx context.Context, b *Block, off int64) error {
	r, err := f.tree.session.conn.Do(ctx, &Request{
		Command: smbwire.Write,
		Tree:    f.tree,
		Charge:  charge(len(b.Data)),
		Body:    &smbwire.WriteRequest{Offset: uint64(off), FileID: f.id, Data: b.Data},
		block:   b,
	})
	if err != nil {
		return err
	}
	var answer smbwire.WriteResponse
	if err := r.take(&answer); err != nil {
		return err
	}
	if int(answer.Count) != len(b.Data) {
		return fmt.Errorf("WRITE of %d bytes wrote %d: %w", len(b.Data), answer.Count, io.ErrShortWrite)
	}
	return nil
}

// ReadAt fills p from off on. Fewer bytes come with io.EOF.
func (f *File) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	for n < len(p) {
		b, err := f.ReadBlock(ctx, len(p)-n, off+int64(n))
		if err != nil {
			return n, err
		}
		got := copy(p[n:], b.Data)
		b.Free()
		if got == 0 {
			return n, io.EOF
		}
		n += got
	}
	return n, nil
}

// WriteAt writes p at off.
func (f *File) WriteAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	size := f.maxOf(f.tree.session.conn.agreed.MaxWrite)
	for first := true; first || n < len(p); first = false {
		b := NewBlock(min(len(p)-n, size))
		copy(b.Data, p[n:])
		if err := f.write(ctx, b, off+int64(n)); err != nil {
			return n, err // the block may still be on its way out
		}
		n += len(b.Data)
		b.Free()
	}
	return n, nil
}

// Flush returns when the file is on the server's disk.
func (f *File) Flush(ctx context.Context) error {
	return f.tree.ask(ctx, smbwire.Flush, &smbwire.FlushRequest{FileID: f.id}, &smbwire.FlushResponse{})
}
