package afpclient

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// Fork is an open fork of a file.
type Fork struct {
	ID   afpwire.ForkID
	conn *Conn
	ext  bool // the commands for 64 bits are known
}

// OpenFork opens the data fork of a file, or its resource fork, and returns
// what bits ask for, too.
func (v *Volume) OpenFork(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, resource bool, mode afpwire.OpenMode, bits afpwire.Bitmap) (*Fork, *afpwire.Parms, error) {
	m := &afpwire.OpenForkRequest{Resource: resource, Volume: v.ID, Dir: dir, Bitmap: bits, Mode: mode, Path: path}
	var reply afpwire.OpenForkReply
	afp2 := v.conn.speaksAFP2()
	reply.Parms.AFP2 = afp2
	if err := v.conn.Ask(ctx, m, &reply); err != nil {
		return nil, nil, err
	}
	return &Fork{reply.Fork, v.conn, !afp2}, &reply.Parms, nil
}

// Close closes the fork.
func (f *Fork) Close(ctx context.Context) error {
	return f.conn.Ask(ctx, &afpwire.CloseForkRequest{Fork: f.ID}, nil)
}

// Flush asks that what was written reach the disk.
func (f *Fork) Flush(ctx context.Context) error {
	return f.conn.Ask(ctx, &afpwire.FlushForkRequest{Fork: f.ID}, nil)
}

// Sync waits until all of the fork is on the disk.
func (f *Fork) Sync(ctx context.Context) error {
	return f.conn.Ask(ctx, &afpwire.SyncForkRequest{Fork: f.ID}, nil)
}

// Parms asks for parameters of the file.
func (f *Fork) Parms(ctx context.Context, bits afpwire.Bitmap) (*afpwire.Parms, error) {
	var reply afpwire.GetForkParmsReply
	reply.Parms.AFP2 = !f.ext
	err := f.conn.Ask(ctx, &afpwire.GetForkParmsRequest{Fork: f.ID, Bitmap: bits}, &reply)
	return &reply.Parms, err
}

// SetLength changes the length of the fork. Which is one of the four lengths of
// afpwire.Bitmap, of this fork.
func (f *Fork) SetLength(ctx context.Context, which afpwire.Bitmap, n int64) error {
	return f.conn.Ask(ctx, &afpwire.SetForkParmsRequest{Fork: f.ID, Bitmap: which, Length: n}, nil)
}

// either chooses between a command of AFP 2 and its successor.
func (f *Fork) either(short, long afpwire.Command) afpwire.Command {
	if f.ext {
		return long
	}
	return short
}

// Read reads into p from off, with one request. At the end of the fork the
// error is io.EOF, also with the last bytes.
func (f *Fork) Read(ctx context.Context, p []byte, off int64) (int, error) {
	m := &afpwire.ReadRequest{Command: f.either(afpwire.Read, afpwire.ReadExt), Fork: f.ID, Offset: off, Count: int64(len(p))}
	payload, err := f.conn.call(ctx, &request{function: afpwire.DSICommand, message: m, into: p})
	if len(payload) > len(p) {
		return 0, fmt.Errorf("%w: %d bytes answer a read of %d", ErrProtocol, len(payload), len(p))
	}
	if errors.Is(err, afpwire.ResultEOFErr) {
		return len(payload), io.EOF
	}
	return len(payload), explain(m, err)
}

// writeHead is the length of a WriteExt, which some servers count to what the
// quantum allows.
const writeHead = 20

// Write writes p at off, with as many requests as the server's quantum asks
// for. It returns where the last one ended in the fork.
func (f *Fork) Write(ctx context.Context, p []byte, off int64) (end int64, err error) {
	most := max(int(f.conn.agreed.ServerQuantum)-writeHead, 1)
	for {
		part := p[:min(len(p), most)]
		end, err = f.write(ctx, part, off, false)
		p, off = p[len(part):], off+int64(len(part))
		if err != nil || len(p) == 0 {
			return end, err
		}
	}
}

// Append writes p, which the server's quantum has room for, to the end of the
// fork, wherever that is, and returns where it ends.
func (f *Fork) Append(ctx context.Context, p []byte) (end int64, err error) {
	return f.write(ctx, p, 0, true)
}

func (f *Fork) write(ctx context.Context, p []byte, off int64, fromEnd bool) (int64, error) {
	m := &afpwire.WriteRequest{
		Command: f.either(afpwire.Write, afpwire.WriteExt), FromEnd: fromEnd, Fork: f.ID, Offset: off, Count: int64(len(p)),
	}
	reply := afpwire.WriteReply{Command: m.Command}
	err := f.conn.AskWrite(ctx, m, p, &reply)
	return reply.End, err
}

// Lock locks length bytes from off, which counts from the end of the fork with
// fromEnd, and returns where the range begins.
func (f *Fork) Lock(ctx context.Context, off, length int64, fromEnd bool) (start int64, err error) {
	return f.lock(ctx, &afpwire.ByteRangeLockRequest{FromEnd: fromEnd, Offset: off, Length: length})
}

// Unlock unlocks a range that was locked.
func (f *Fork) Unlock(ctx context.Context, off, length int64) error {
	_, err := f.lock(ctx, &afpwire.ByteRangeLockRequest{Unlock: true, Offset: off, Length: length})
	return err
}

func (f *Fork) lock(ctx context.Context, m *afpwire.ByteRangeLockRequest) (int64, error) {
	m.Command, m.Fork = f.either(afpwire.ByteRangeLock, afpwire.ByteRangeLockExt), f.ID
	reply := afpwire.ByteRangeLockReply{Command: m.Command}
	err := f.conn.Ask(ctx, m, &reply)
	return reply.Start, err
}
