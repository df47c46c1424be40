package smbwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var createRequestTests = []wireTest{
	{
		name: "explorer opens a file and asks for its rights and number",
		wire: `
			3900 00 09 02000000                # StructureSize 57, SecurityFlags, batch oplock, impersonation
			0000000000000000 0000000000000000  # SmbCreateFlags, Reserved
			81001200 80000000                  # DesiredAccess, FileAttributes
			07000000 01000000 40002000         # ShareAccess, FILE_OPEN, non-directory and reparse point
			7800 0600                          # Name: 6 bytes at 120
			80000000 38000000                  # Contexts: 56 bytes at 128
			6100 5c00 6200 0000                # a\b, padding
			20000000 1000 0400 0000 1800 08000000  # Next 32; name 4 at 16; data 8 at 24
			4d784163 00000000                  # MxAc
			0102030405060708
			00000000 1000 0400 0000 0000 00000000  # the last, without data
			51466964 00000000                  # QFid
		`,
		want: &smbwire.CreateRequest{
			OplockLevel:        smbwire.OplockBatch,
			ImpersonationLevel: smbwire.ImpersonationImpersonation,
			DesiredAccess:      smbwire.FileReadData | smbwire.FileReadAttributes | smbwire.ReadControl | smbwire.Synchronize,
			FileAttributes:     0x80,
			ShareAccess:        smbwire.ShareRead | smbwire.ShareWrite | smbwire.ShareDelete,
			Disposition:        smbwire.FileOpen,
			Options:            smbwire.NonDirectoryFile | smbwire.OpenReparsePoint,
			Name:               `a\b`,
			Contexts: smbwire.CreateContexts{
				{Name: smbwire.ContextMaximalAccess, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
				{Name: smbwire.ContextDiskID},
			},
		},
	},
	{
		name: "the root of the share",
		wire: `
			3900 00 00 02000000 0000000000000000 0000000000000000
			80000000 00000000 07000000 01000000 01000000
			7800 0000 00000000 00000000        # no name, no contexts
			00
		`,
		want: &smbwire.CreateRequest{
			ImpersonationLevel: smbwire.ImpersonationImpersonation, DesiredAccess: smbwire.FileReadAttributes,
			ShareAccess: 7, Disposition: smbwire.FileOpen, Options: smbwire.DirectoryFile,
		},
	},
	{
		name: "a name that ends behind the message",
		wire: createRequestHead + `7800 0400 00000000 00000000 6100`,
		want: new(smbwire.CreateRequest), err: "4 bytes at 120 is out of bounds",
	},
	{
		name: "half a character",
		wire: createRequestHead + `7800 0100 00000000 00000000 6100`,
		want: new(smbwire.CreateRequest), err: "a string of 1 bytes",
	},
	{
		name: "contexts in the header",
		wire: createRequestHead + `7800 0000 10000000 10000000 00`,
		want: new(smbwire.CreateRequest), err: "16 bytes at 16 is out of bounds",
	},
	{
		name: "a context without an end",
		wire: createRequestHead + `7800 0000 78000000 0c000000 00000000 1000 0400 0000 0000`,
		want: new(smbwire.CreateRequest), err: "too short",
	},
	{
		name: "a chain that does not move",
		wire: createRequestHead + `7800 0000 78000000 18000000 08000000 1000 0400 0000 0000 00000000 51466964 00000000`,
		want: new(smbwire.CreateRequest), err: "next create context at 8",
	},
	{
		name: "a chain that leaves the list",
		wire: createRequestHead + `7800 0000 78000000 18000000 18000000 1000 0400 0000 0000 00000000 51466964 00000000`,
		want: new(smbwire.CreateRequest), err: "next create context at 24",
	},
	{
		name: "data behind the list",
		wire: createRequestHead + `7800 0000 78000000 18000000 00000000 1000 0400 0000 1400 08000000 51466964 00000000`,
		want: new(smbwire.CreateRequest), err: "too short",
	},
	{
		name: "data in the head of the context",
		wire: createRequestHead + `7800 0000 78000000 18000000 00000000 1000 0400 0000 0800 08000000 51466964 00000000`,
		want: new(smbwire.CreateRequest), err: "data at 8",
	},
	{
		name: "a context with a short name",
		wire: createRequestHead + `7800 0000 78000000 13000000 00000000 1000 0300 0000 0000 00000000 514669`,
		want: new(smbwire.CreateRequest), err: "a name of 3 bytes",
	},
	{
		name: "data of four gigabytes",
		wire: createRequestHead + `7800 0000 78000000 18000000 00000000 1000 0400 0000 1800 ffffffff 51466964 00000000`,
		want: new(smbwire.CreateRequest), err: "data at 24",
	},
}

// createRequestHead are the fields of a CREATE before those of its name.
const createRequestHead = `
	3900 00 00 02000000 0000000000000000 0000000000000000
	80000000 00000000 07000000 01000000 00000000
`

var createResponseTests = []wireTest{
	{
		name: "a file was created",
		wire: `
			5900 01 00 02000000                # StructureSize 89, level II oplock, Flags, FILE_CREATED
			0100000000000000 0200000000000000  # CreationTime, LastAccessTime
			0300000000000000 0400000000000000  # LastWriteTime, ChangeTime
			0010000000000000 0500000000000000  # AllocationSize, EndofFile
			20000000 00000000 ` + fileHex + `  # FileAttributes, Reserved2, FileId
			98000000 20000000                  # Contexts: 32 bytes at 152
			00000000 1000 0400 0000 1800 08000000
			4d784163 00000000                  # MxAc
			00000000 ff011f00                  #   STATUS_SUCCESS, all rights
		`,
		want: &smbwire.CreateResponse{
			OplockLevel: smbwire.OplockII, CreateAction: smbwire.FileCreated,
			CreationTime: 1, LastAccessTime: 2, LastWriteTime: 3, ChangeTime: 4,
			AllocationSize: 4096, EndOfFile: 5, FileAttributes: 0x20, FileID: file,
			Contexts: smbwire.CreateContexts{{Name: smbwire.ContextMaximalAccess, Data: []byte{0, 0, 0, 0, 0xff, 1, 0x1f, 0}}},
		},
	},
	{
		name: "without contexts",
		wire: `
			5900 00 00 01000000 0100000000000000 0200000000000000 0300000000000000 0400000000000000
			0000000000000000 0000000000000000 10000000 00000000 ` + fileHex + ` 00000000 00000000 00
		`,
		want: &smbwire.CreateResponse{
			CreateAction: smbwire.FileOpened, CreationTime: 1, LastAccessTime: 2, LastWriteTime: 3, ChangeTime: 4,
			FileAttributes: 0x10, FileID: file,
		},
	},
	{name: "cut", wire: `5900 00 00`, want: new(smbwire.CreateResponse), err: "too short"},
}

var contextTests = []wireTest{
	{name: "no maximal access asked since", wire: ``, want: &smbwire.MaximalAccessRequest{}},
	{name: "maximal access since", wire: `0500000000000000`, want: &smbwire.MaximalAccessRequest{Timestamp: 5}},
	{name: "maximal access cut", wire: `05000000`, want: &smbwire.MaximalAccessRequest{}, err: "too short"},
	{
		name: "maximal access", wire: `220000c0 89001200`,
		want: &smbwire.MaximalAccessResponse{QueryStatus: smbwire.StatusAccessDenied, MaximalAccess: 0x120089},
	},
	{
		name: "disk id",
		wire: `0500000000000000 0600000000000000 00000000000000000000000000000000`,
		want: &smbwire.DiskIDResponse{DiskFileID: 5, VolumeID: 6},
	},
	{name: "disk id cut", wire: `0500000000000000 0600000000000000`, want: &smbwire.DiskIDResponse{}, err: "too short"},
	{name: "allocation size", wire: `0000100000000000`, want: &smbwire.AllocationSizeRequest{AllocationSize: 1 << 20}},
	{name: "timewarp", wire: `0080b5f1663cda01`, want: &smbwire.TimewarpRequest{Timestamp: 0x01da3c66f1b58000}},
	{name: "timewarp cut", wire: ``, want: &smbwire.TimewarpRequest{}, err: "too short"},
}

func TestCreateRequest(t *testing.T)  { runWireTests(t, header, createRequestTests) }
func TestCreateResponse(t *testing.T) { runWireTests(t, header, createResponseTests) }
func TestCreateContext(t *testing.T)  { runWireTests(t, nil, contextTests) }

func TestFind(t *testing.T) {
	contexts := smbwire.CreateContexts{{Name: smbwire.ContextDiskID}, {Name: smbwire.ContextTimewarp, Data: []byte{1}}}
	if data, ok := contexts.Find(smbwire.ContextTimewarp); !ok || len(data) != 1 {
		t.Errorf("Find(TWrp) = %v, %v", data, ok)
	}
	if data, ok := contexts.Find(smbwire.ContextDiskID); !ok || data != nil {
		t.Errorf("Find(QFid) = %v, %v", data, ok)
	}
	if _, ok := contexts.Find(smbwire.ContextLease); ok {
		t.Error("Find(RqLs) found something")
	}
}

func TestDecodingACreateAgainAllocatesItsNameOnly(t *testing.T) {
	wire := append(header[:len(header):len(header)], hexdump.Bytes(t, createRequestTests[0].wire)...)
	var m smbwire.CreateRequest
	var r cursor.Reader
	if n := testing.AllocsPerRun(100, func() {
		r.Reset(wire)
		r.Skip(smbwire.HeaderSize)
		m.Decode(&r)
	}); n > 1 || r.Err() != nil {
		t.Errorf("Decode allocates %v times, error %v", n, r.Err())
	}
}
