package smbwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var ioctlTests = []wireTest{
	{
		name: "request on a pipe",
		wire: `
			3900 0000 17c01100 ` + fileHex + `  # StructureSize 57, Reserved, CtlCode, FileId
			78000000 03000000 00000000         # Input: 3 bytes at 120; MaxInputResponse
			00000000 00000000 00040000         # no output; MaxOutputResponse 1024
			01000000 00000000                  # Flags: FSCTL, Reserved2
			050003
		`,
		want: &smbwire.IoctlRequest{
			CtlCode: smbwire.FsctlPipeTransceive, FileID: file, Input: []byte{5, 0, 3},
			MaxOutputResponse: 1024, Flags: smbwire.IoctlIsFsctl,
		},
	},
	{
		name: "request without input",
		wire: `
			3900 0000 fc011400 ffffffffffffffff ffffffffffffffff
			78000000 00000000 00000000 00000000 00000000 00000100 01000000 00000000 00
		`,
		want: &smbwire.IoctlRequest{
			CtlCode: smbwire.FsctlQueryNetworkInterfaceInfo, FileID: smbwire.RelatedFileID,
			MaxOutputResponse: 1 << 16, Flags: smbwire.IoctlIsFsctl,
		},
	},
	{
		name: "request with input out of bounds",
		wire: `
			3900 0000 17c01100 ` + fileHex + `
			f0ffffff 30000000 00000000 00000000 00000000 00000100 01000000 00000000 00
		`,
		want: new(smbwire.IoctlRequest), err: "48 bytes at 4294967280 is out of bounds",
	},
	{
		name: "response",
		wire: `
			3100 0000 17c01100 ` + fileHex + `  # StructureSize 49, Reserved, CtlCode, FileId
			70000000 00000000                  # no input
			70000000 03000000                  # Output: 3 bytes at 112
			00000000 00000000                  # Flags, Reserved2
			050002
		`,
		want: &smbwire.IoctlResponse{CtlCode: smbwire.FsctlPipeTransceive, FileID: file, Output: []byte{5, 0, 2}},
	},
}

var validateNegotiateTests = []wireTest{
	{
		name: "request",
		wire: `7f000000 ` + guidHex + ` 0100 0200 1002 0003`, // Capabilities, Guid, SecurityMode, two dialects
		want: &smbwire.ValidateNegotiateInfoRequest{
			Capabilities: 0x7f, GUID: guid, SecurityMode: smbwire.SigningEnabled,
			Dialects: []smbwire.Dialect{smbwire.Dialect210, smbwire.Dialect300},
		},
	},
	{
		name: "request with more dialects than there are bytes", wire: `7f000000 ` + guidHex + ` 0100 0300 1002 0003`,
		want: new(smbwire.ValidateNegotiateInfoRequest), err: "too short",
	},
	{
		name: "request with more dialects than anyone speaks", wire: `7f000000 ` + guidHex + ` 0100 ffff 1002 0003`,
		want: new(smbwire.ValidateNegotiateInfoRequest), err: "65535 dialects",
	},
	{
		name: "response",
		wire: `05000000 ` + guidHex + ` 0300 0203`,
		want: &smbwire.ValidateNegotiateInfoResponse{
			Capabilities: smbwire.CapDFS | smbwire.CapLargeMTU, GUID: guid,
			SecurityMode: smbwire.SigningEnabled | smbwire.SigningRequired, Dialect: smbwire.Dialect302,
		},
	},
}

var objectIDTests = []wireTest{
	{
		name: "of a file",
		wire: `
			11000000000000000000000000000000 ` + guidHex + `   # ObjectId, BirthVolumeId
			12000000000000000000000000000000 00000000000000000000000000000000  # BirthObjectId, DomainId
		`,
		want: &smbwire.ObjectID{ObjectID: [16]byte{0x11}, BirthVolumeID: guid, BirthObjectID: [16]byte{0x12}},
	},
	{name: "cut", wire: guidHex + guidHex + guidHex, want: new(smbwire.ObjectID), err: "too short"},
}

var errorTests = []wireTest{
	{name: "without data", wire: `0900 00 00 00000000 00`, want: &smbwire.ErrorResponse{}}, // StructureSize 9, ErrorContextCount, Reserved, ByteCount
	{name: "with data", wire: `0900 00 00 04000000 00100000`, want: &smbwire.ErrorResponse{Data: []byte{0, 0x10, 0, 0}}},
	{
		name: "with contexts",
		wire: `
			0900 02 00 1b000000                # two contexts in 27 bytes
			01000000 00000000 aa               # one byte of the default kind
			00000000000000
			03000000 53526472 010203           # three bytes of a share redirection
		`,
		want: &smbwire.ErrorResponse{Contexts: []smbwire.ErrorContext{
			{ID: smbwire.ErrorIDDefault, Data: []byte{0xaa}}, {ID: smbwire.ErrorIDShareRedirect, Data: []byte{1, 2, 3}},
		}},
	},
	{
		name: "a context behind the data",
		wire: `0900 01 00 09000000 02000000 00000000 aabb`,
		want: new(smbwire.ErrorResponse), err: "too short",
	},
}

var symlinkErrorTests = []wireTest{
	{
		name: "a relative link",
		wire: `
			1e000000 53594d4c 0c0000a0         # SymLinkLength 30, SymLinkErrorTag, ReparseTag
			1200 0800                          # ReparseDataLength 18, UnparsedPathLength 8
			0000 0400 0400 0200                # SubstituteName at 0, 4 bytes; PrintName at 4, 2 bytes
			01000000                           # Flags: relative
			6200 6300 6200                     # bc, b
		`,
		want: &smbwire.SymlinkError{UnparsedPathLength: 8, SubstituteName: "bc", PrintName: "b", Relative: true},
	},
	{
		name: "a name out of bounds",
		wire: `1e000000 53594d4c 0c0000a0 1200 0800 0000 0400 0400 0400 01000000 6200 6300 6200`,
		want: new(smbwire.SymlinkError), err: "too short",
	},
	{
		name: "another tag", wire: `1e000000 53594d4c 030000a0 1200 0800`,
		want: new(smbwire.SymlinkError), err: "tags 0x4c4d5953 and 0xa0000003",
	},
}

func TestIoctl(t *testing.T)             { runWireTests(t, header, ioctlTests) }
func TestValidateNegotiate(t *testing.T) { runWireTests(t, nil, validateNegotiateTests) }
func TestObjectID(t *testing.T)          { runWireTests(t, nil, objectIDTests) }
func TestErrorResponse(t *testing.T)     { runWireTests(t, header, errorTests) }
func TestSymlinkError(t *testing.T)      { runWireTests(t, nil, symlinkErrorTests) }
