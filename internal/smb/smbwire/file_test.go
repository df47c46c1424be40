package smbwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var closeTests = []wireTest{
	{
		name: "request",
		wire: `1800 0100 00000000 ` + fileHex, // StructureSize 24, Flags, Reserved, FileId
		want: &smbwire.CloseRequest{Flags: smbwire.ClosePostQueryAttributes, FileID: file},
	},
	{name: "request cut in the file id", wire: `1800 0100 00000000 01000000`, want: new(smbwire.CloseRequest), err: "too short"},
	{
		name: "response",
		wire: `
			3c00 0100 00000000                 # StructureSize 60, Flags, Reserved
			0100000000000000 0200000000000000  # CreationTime, LastAccessTime
			0300000000000000 0400000000000000  # LastWriteTime, ChangeTime
			0010000000000000 0500000000000000  # AllocationSize, EndofFile
			20000000                           # FileAttributes
		`,
		want: &smbwire.CloseResponse{
			Flags: smbwire.ClosePostQueryAttributes, CreationTime: 1, LastAccessTime: 2, LastWriteTime: 3, ChangeTime: 4,
			AllocationSize: 4096, EndOfFile: 5, FileAttributes: 0x20,
		},
	},
}

var flushTests = []wireTest{
	{name: "request", wire: `1800 0000 00000000 ` + fileHex, want: &smbwire.FlushRequest{FileID: file}},
	{name: "wrong structure size", wire: `1900 0000 00000000 ` + fileHex, want: new(smbwire.FlushRequest), err: "structure size 25, want 24"},
}

var readTests = []wireTest{
	{
		name: "finder reads the first block of a file",
		wire: `
			3100 50 00                         # StructureSize 49, Padding, Flags
			00000100                           # Length 64 KiB
			0000000000000000 ` + fileHex + `   # Offset, FileId
			01000000 00000000 00000000         # MinimumCount 1, Channel, RemainingBytes
			00000000 00                        # ReadChannelInfo, empty variable part
		`,
		want: &smbwire.ReadRequest{Length: 64 << 10, FileID: file, MinimumCount: 1},
	},
	{
		name:    "request without its empty variable part",
		wire:    `3100 00 01 00000100 0000000000000080 ` + fileHex + ` 00000000 00000000 05000000 00000000`,
		want:    &smbwire.ReadRequest{Flags: smbwire.ReadUnbuffered, Length: 64 << 10, Offset: 1 << 63, FileID: file, Remaining: 5},
		lenient: true,
	},
	{name: "request with a wrong structure size", wire: `3200 00 00`, want: new(smbwire.ReadRequest), err: "structure size 50, want 49"},
	{name: "request cut inside the file id", wire: `3100 00 00 00000100 0000000000000000 01`, want: new(smbwire.ReadRequest), err: "too short"},
	{name: "request empty", wire: ``, want: new(smbwire.ReadRequest), err: "too short"},
	{
		name: "response",
		wire: `
			1100 50 00 03000000                # StructureSize 17, DataOffset 80, Reserved, DataLength 3
			00000000 00000000                  # DataRemaining, Flags
			616263
		`,
		want: &smbwire.ReadResponse{Data: []byte("abc")},
	},
	{name: "response without data", wire: `1100 50 00 00000000 00000000 00000000 00`, want: &smbwire.ReadResponse{}},
	{
		name: "response with more data than there is",
		wire: `1100 50 00 04000000 00000000 00000000 616263`,
		want: new(smbwire.ReadResponse), err: "4 bytes at 80 is out of bounds",
	},
}

var writeTests = []wireTest{
	{
		name: "request",
		wire: `
			3100 7000 03000000                 # StructureSize 49, DataOffset 112, Length 3
			0010000000000000 ` + fileHex + `   # Offset, FileId
			00000000 07000000 00000000         # Channel, RemainingBytes, WriteChannelInfo
			01000000                           # Flags: write through
			616263
		`,
		want: &smbwire.WriteRequest{
			Offset: 4096, FileID: file, RemainingBytes: 7, Flags: smbwire.WriteWriteThrough, Data: []byte("abc"),
		},
	},
	{
		name: "request with more data than there is",
		wire: `3100 7000 ffffffff 0010000000000000 ` + fileHex + ` 00000000 00000000 00000000 00000000 616263`,
		want: new(smbwire.WriteRequest), err: "4294967295 bytes at 112 is out of bounds",
	},
	{
		name: "request with its data in the header",
		wire: `3100 1000 03000000 0010000000000000 ` + fileHex + ` 00000000 00000000 00000000 00000000 616263`,
		want: new(smbwire.WriteRequest), err: "3 bytes at 16 is out of bounds",
	},
	{
		name: "response",
		wire: `1100 0000 03000000 00000000 00000000 00`, // StructureSize 17, Reserved, Count, Remaining, WriteChannelInfo
		want: &smbwire.WriteResponse{Count: 3},
	},
}

var lockTests = []wireTest{
	{
		name: "two ranges",
		wire: `
			3000 0200 25000000 ` + fileHex + `  # StructureSize 48, LockCount, LockSequence, FileId
			0500000000000000 0a00000000000000 12000000 00000000  # 5+10, exclusive, at once
			ffffffffffffffff 0100000000000000 04000000 00000000  # the last byte, unlock
		`,
		want: &smbwire.LockRequest{
			LockSequence: 0x25, FileID: file,
			Locks: []smbwire.LockElement{
				{Offset: 5, Length: 10, Flags: smbwire.LockExclusive | smbwire.LockFailImmediately},
				{Offset: 1<<64 - 1, Length: 1, Flags: smbwire.LockUnlock},
			},
		},
	},
	{name: "no range", wire: `3000 0000 00000000 ` + fileHex, want: new(smbwire.LockRequest), err: "0 locks"},
	{
		name: "more ranges than there are bytes",
		wire: `3000 0200 00000000 ` + fileHex + `0500000000000000 0a00000000000000 12000000 00000000`,
		want: new(smbwire.LockRequest), err: "2 locks in 24 bytes",
	},
}

var oplockBreakTests = []wireTest{
	{
		name: "to level II",
		wire: `1800 01 00 00000000 ` + fileHex, // StructureSize 24, OplockLevel, Reserved, Reserved2, FileId
		want: &smbwire.OplockBreakMessage{OplockLevel: smbwire.OplockII, FileID: file},
	},
	{name: "of a lease", wire: `2400 0000 00000000`, want: new(smbwire.OplockBreakMessage), err: "structure size 36, want 24"},
}

var changeNotifyTests = []wireTest{
	{
		name: "request",
		wire: `2000 0100 00100000 ` + fileHex + ` 17000000 00000000`,
		want: &smbwire.ChangeNotifyRequest{
			Flags: smbwire.NotifyWatchTree, OutputBufferLength: 4096, FileID: file, CompletionFilter: 0x17,
		},
	},
	{name: "response", wire: `0900 4800 03000000 010203`, want: &smbwire.ChangeNotifyResponse{Buffer: []byte{1, 2, 3}}},
	{name: "response of nothing", wire: `0900 4800 00000000 00`, want: &smbwire.ChangeNotifyResponse{}},
}

func TestClose(t *testing.T)        { runWireTests(t, header, closeTests) }
func TestFlush(t *testing.T)        { runWireTests(t, header, flushTests) }
func TestRead(t *testing.T)         { runWireTests(t, header, readTests) }
func TestWrite(t *testing.T)        { runWireTests(t, header, writeTests) }
func TestLock(t *testing.T)         { runWireTests(t, header, lockTests) }
func TestOplockBreak(t *testing.T)  { runWireTests(t, header, oplockBreakTests) }
func TestChangeNotify(t *testing.T) { runWireTests(t, header, changeNotifyTests) }

func TestLockSequence(t *testing.T) {
	m := smbwire.LockRequest{LockSequence: 0x25}
	if m.LockSequenceNumber() != 5 || m.LockSequenceIndex() != 2 {
		t.Errorf("number %d, index %d, want 5 and 2", m.LockSequenceNumber(), m.LockSequenceIndex())
	}
}

func TestReadDataFilledInPlaceIsNotCopied(t *testing.T) {
	w := cursor.NewWriter(nil)
	(&smbwire.Header{}).Encode(w)
	data := append(w.Free(smbwire.ReadDataOffset-smbwire.HeaderSize, 100), "from the disk"...)
	(&smbwire.ReadResponse{Data: data}).Encode(w)
	got := w.Message()[smbwire.ReadDataOffset:]
	if string(got) != "from the disk" || &got[0] != &data[0] {
		t.Errorf("data = %q, copied = %v", got, &got[0] != &data[0])
	}
}

func TestWriteDataAliasesTheMessage(t *testing.T) {
	wire := append(header[:len(header):len(header)], hexdump.Bytes(t, writeTests[0].wire)...)
	r := cursor.NewReader(wire)
	r.Skip(smbwire.HeaderSize)
	var m smbwire.WriteRequest
	m.Decode(r)
	if len(m.Data) != 3 || &m.Data[0] != &wire[len(wire)-3] {
		t.Errorf("data = %q is a copy", m.Data)
	}
}

func TestFileIDOf(t *testing.T) {
	for command, m := range map[smbwire.Command]message{
		smbwire.Close:          &smbwire.CloseRequest{FileID: file},
		smbwire.Flush:          &smbwire.FlushRequest{FileID: file},
		smbwire.Read:           &smbwire.ReadRequest{FileID: file},
		smbwire.Write:          &smbwire.WriteRequest{FileID: file},
		smbwire.Lock:           &smbwire.LockRequest{FileID: file},
		smbwire.Ioctl:          &smbwire.IoctlRequest{FileID: file},
		smbwire.QueryDirectory: &smbwire.QueryDirectoryRequest{FileID: file},
		smbwire.ChangeNotify:   &smbwire.ChangeNotifyRequest{FileID: file},
		smbwire.QueryInfo:      &smbwire.QueryInfoRequest{FileID: file},
		smbwire.SetInfo:        &smbwire.SetInfoRequest{FileID: file},
		smbwire.OplockBreak:    &smbwire.OplockBreakMessage{FileID: file},
	} {
		w := cursor.NewWriter(nil)
		w.Bytes(header)
		m.Encode(w)
		if got, ok := smbwire.FileIDOf(command, w.Message()); got != file || !ok {
			t.Errorf("%v: %v, %v", command, got, ok)
		}
		if _, ok := smbwire.FileIDOf(command, w.Message()[:smbwire.HeaderSize+10]); ok {
			t.Errorf("%v has a file id where it was cut", command)
		}
	}
	for _, command := range []smbwire.Command{smbwire.Create, smbwire.Echo, smbwire.Commands, 0xffff} {
		if got, ok := smbwire.FileIDOf(command, make([]byte, 200)); ok {
			t.Errorf("%v has a file id, %v", command, got)
		}
	}
}
