package afpwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

var forkTests = []wireTest{
	{
		wire: `1a 80 0001 00000002 e92b 0033 ` + pathHex,
		want: &afpwire.OpenForkRequest{
			Resource: true, Volume: 1, Dir: 2, Bitmap: fileBits,
			Mode: afpwire.OpenRead | afpwire.OpenWrite | afpwire.OpenDenyRead | afpwire.OpenDenyWrite, Path: somePath,
		},
	},
	{wire: `e92b 0003` + fileHex, want: &afpwire.OpenForkReply{Bitmap: fileBits, Fork: 3, Parms: someFile()}},
	{wire: `04 00 0003`, want: &afpwire.CloseForkRequest{Fork: 3}},
	{wire: `0b 00 0003`, want: &afpwire.FlushForkRequest{Fork: 3}},
	{wire: `4f 00 0003`, want: &afpwire.SyncForkRequest{Fork: 3}},
	{wire: `0e 00 0003 e92b`, want: &afpwire.GetForkParmsRequest{Fork: 3, Bitmap: fileBits}},
	{wire: `e92b` + fileHex, want: &afpwire.GetForkParmsReply{Bitmap: fileBits, Parms: someFile()}},
	{wire: `1f 00 0003 0200 00001000`, want: &afpwire.SetForkParmsRequest{Fork: 3, Bitmap: afpwire.BitDataLength, Length: 4096}},
	{name: "beyond 4 GiB", wire: `1f 00 0003 4000 0000000100000000`, want: &afpwire.SetForkParmsRequest{Fork: 3, Bitmap: afpwire.BitExtResourceLength, Length: 1 << 32}},
	{name: "a long length cut short", wire: `1f 00 0003 0800 00000001`, want: &afpwire.SetForkParmsRequest{}, err: "too short"},

	{wire: `1b 00 0003 00001000 00000200 ff 0d`, want: &afpwire.ReadRequest{Command: afpwire.Read, Fork: 3, Offset: 4096, Count: 512, NewlineMask: 0xff, NewlineChar: '\r'}},
	{name: "beyond 4 GiB", wire: `3c 00 0003 0000000100000000 0000000000100000`, want: &afpwire.ReadRequest{Command: afpwire.ReadExt, Fork: 3, Offset: 1 << 32, Count: 1 << 20}},
	{name: "before the start", wire: `1b 00 0003 ffffffff 00000200 00 00`, want: &afpwire.ReadRequest{Command: afpwire.Read, Fork: 3, Offset: -1, Count: 512}},
	{wire: `64617461`, want: &afpwire.ReadReply{Data: []byte("data")}},

	{wire: `21 00 0003 00001000 00000004`, want: &afpwire.WriteRequest{Command: afpwire.Write, Fork: 3, Offset: 4096, Count: 4}},
	{name: "at the end", wire: `3d 80 0003 ffffffffffffffff 0000000000000004`, want: &afpwire.WriteRequest{Command: afpwire.WriteExt, FromEnd: true, Fork: 3, Offset: -1, Count: 4}},
	{wire: `00001004`, want: &afpwire.WriteReply{Command: afpwire.Write, End: 4100}},
	{name: "beyond 4 GiB", wire: `0000000100000004`, want: &afpwire.WriteReply{Command: afpwire.WriteExt, End: 1<<32 + 4}},

	{wire: `01 01 0003 00000010 00000020`, want: &afpwire.ByteRangeLockRequest{Command: afpwire.ByteRangeLock, Unlock: true, Fork: 3, Offset: 16, Length: 32}},
	{name: "all", wire: `3b 00 0003 0000000000000000 ffffffffffffffff`, want: &afpwire.ByteRangeLockRequest{Command: afpwire.ByteRangeLockExt, Fork: 3, Length: afpwire.LockToEnd}},
	{name: "all, of AFP 2", wire: `01 80 0003 fffffff0 ffffffff`, want: &afpwire.ByteRangeLockRequest{Command: afpwire.ByteRangeLock, FromEnd: true, Fork: 3, Offset: -16, Length: afpwire.LockToEnd}},
	{wire: `00000010`, want: &afpwire.ByteRangeLockReply{Command: afpwire.ByteRangeLock, Start: 16}},
	{name: "beyond 4 GiB", wire: `0000000100000000`, want: &afpwire.ByteRangeLockReply{Command: afpwire.ByteRangeLockExt, Start: 1 << 32}},
}

func TestForks(t *testing.T) { runWireTests(t, forkTests) }
