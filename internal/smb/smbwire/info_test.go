package smbwire_test

import (
	"reflect"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var queryTests = []wireTest{
	{
		name: "smbclient lists a folder",
		wire: `
			2100 25 01                         # StructureSize 33, FileInformationClass, Flags: restart
			00000000                           # FileIndex
			` + fileHex + `  # FileId
			6000 0200 00000100                 # FileNameOffset 96, FileNameLength, OutputBufferLength
			2a00                               # *
		`,
		want: &smbwire.QueryDirectoryRequest{
			Class: smbwire.FileIDBothDirectoryInformation, Flags: smbwire.QueryRestartScans,
			FileID: file, OutputBufferLength: 65536, FileName: "*",
		},
	},
	{
		name: "the next batch, without a pattern",
		wire: `
			2100 03 06 05000000                # single entry, index
			` + fileHex + `
			6000 0000 00000100
			00                                 # the empty variable part
		`,
		want: &smbwire.QueryDirectoryRequest{
			Class: smbwire.FileBothDirectoryInformation, Flags: smbwire.QuerySingleEntry | smbwire.QueryIndexSpecified, FileIndex: 5,
			FileID: file, OutputBufferLength: 65536,
		},
	},
	{
		name: "entries",
		wire: `0900 4800 03000000 616263`,
		want: &smbwire.QueryDirectoryResponse{Data: []byte("abc")},
	},
	{
		name: "query owner",
		wire: `
			2900 03 00 00000100                # StructureSize 41, InfoType, FileInfoClass, OutputBufferLength
			6800 0000 00000000                 # InputBufferOffset 104, Reserved, InputBufferLength
			01000000 00000000                  # AdditionalInformation: owner; Flags
			` + fileHex + `  # FileId
			00
		`,
		want: &smbwire.QueryInfoRequest{
			Type: smbwire.InfoSecurity, OutputBufferLength: 65536, AdditionalInformation: uint32(smbwire.OwnerSecurity),
			FileID: file,
		},
	},
	{
		name: "query with input",
		wire: `
			2900 01 0f 00010000
			6800 0000 02000000
			00000000 03000000
			` + fileHex + `
			6162
		`,
		want: &smbwire.QueryInfoRequest{
			Type: smbwire.InfoFile, Class: uint8(smbwire.FileFullEAInformation), OutputBufferLength: 256,
			Flags: smbwire.QueryInfoRestart | smbwire.QueryInfoSingle, FileID: file, Input: []byte("ab"),
		},
	},
	{
		name: "information",
		wire: `0900 4800 04000000 01020304`,
		want: &smbwire.QueryInfoResponse{Data: []byte{1, 2, 3, 4}},
	},
	{
		name: "mark for deletion",
		wire: `
			2100 01 0d 01000000 6000 0000      # StructureSize 33, InfoType, FileInfoClass, BufferLength, BufferOffset 96
			00000000                           # AdditionalInformation
			` + fileHex + `  # FileId
			01
		`,
		want: &smbwire.SetInfoRequest{
			Type: smbwire.InfoFile, Class: uint8(smbwire.FileDispositionInformation),
			FileID: file, Data: []byte{1},
		},
	},
	{name: "done", wire: `0200`, want: &smbwire.SetInfoResponse{}},
	{name: "wrong size", wire: `2000 25 00`, want: &smbwire.QueryDirectoryRequest{}, err: "structure size 32, want 33"},
	{name: "cut", wire: `2100 25 00 00000000` + fileHex, want: &smbwire.QueryDirectoryRequest{}, err: "too short"},
	{name: "half a character", wire: `2100 25 00 00000000` + fileHex + `6000 0300 00000100 2a002a`, want: &smbwire.QueryDirectoryRequest{}, err: "string of 3 bytes"},
	{name: "pattern out of bounds", wire: `2100 25 00 00000000` + fileHex + `6000 0400 00000100 2a00`, want: &smbwire.QueryDirectoryRequest{}, err: "out of bounds"},
	{name: "pattern in the header", wire: `2100 25 00 00000000` + fileHex + `0000 0400 00000100 2a00`, want: &smbwire.QueryDirectoryRequest{}, err: "out of bounds"},
	{name: "input of 4 GiB", wire: `2900 01 0f 00010000 6800 0000 ffffffff 00000000 00000000` + fileHex + `61`, want: &smbwire.QueryInfoRequest{}, err: "out of bounds"},
	{name: "data of 4 GiB", wire: `2100 01 0d ffffffff 6000 0000 00000000` + fileHex + `01`, want: &smbwire.SetInfoRequest{}, err: "out of bounds"},
	{name: "response of 4 GiB", wire: `0900 4800 ffffffff 61`, want: &smbwire.QueryInfoResponse{}, err: "out of bounds"},
	{name: "empty", wire: ``, want: &smbwire.SetInfoRequest{}, err: "too short"},
}

func TestQueryAndSet(t *testing.T) { runWireTests(t, header, queryTests) }

func FuzzQueryAndSet(f *testing.F) {
	for i, tt := range queryTests {
		f.Add(i, hexdump.Bytes(f, tt.wire))
	}
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		kind := reflect.TypeOf(queryTests[uint(which)%uint(len(queryTests))].want).Elem()
		roundTrip(t, kind, header, body)
	})
}
