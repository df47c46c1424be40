package smbwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var sessionSetupTests = []wireTest{
	{
		name: "request",
		wire: `
			1900 00 01                         # StructureSize 25, Flags, SigningEnabled
			01000000 00000000                  # Capabilities, Channel
			5800 0300                          # SecurityBuffer: 3 bytes at 88
			0700000000000000                   # PreviousSessionId
			604806                             # the token
		`,
		want: &smbwire.SessionSetupRequest{
			SecurityMode: smbwire.SigningEnabled, Capabilities: smbwire.CapDFS, PreviousSessionID: 7,
			SecurityBuffer: []byte{0x60, 0x48, 0x06},
		},
	},
	{
		name: "request with a token out of bounds",
		wire: `1900 00 01 01000000 00000000 5800 0400 0000000000000000 604806`,
		want: new(smbwire.SessionSetupRequest), err: "4 bytes at 88 is out of bounds",
	},
	{
		name: "request with a token in its own header",
		wire: `1900 00 01 01000000 00000000 0000 0400 0000000000000000 604806`,
		want: new(smbwire.SessionSetupRequest), err: "4 bytes at 0 is out of bounds",
	},
	{
		name: "response",
		wire: `
			0900 0100                          # StructureSize 9, SessionFlags: guest
			4800 0200                          # SecurityBuffer: 2 bytes at 72
			a107
		`,
		want: &smbwire.SessionSetupResponse{SessionFlags: smbwire.SessionIsGuest, SecurityBuffer: []byte{0xa1, 0x07}},
	},
	{
		name: "response without a token",
		wire: `0900 0000 4800 0000 00`,
		want: &smbwire.SessionSetupResponse{},
	},
}

var treeConnectTests = []wireTest{
	{
		name: "request",
		wire: `
			0900 0000 4800 0c00                # StructureSize 9, Flags; Path: 12 bytes at 72
			5c00 5c00 6e00 5c00 6600 7500      # \\n\fu
		`,
		want: &smbwire.TreeConnectRequest{Path: `\\n\fu`},
	},
	{
		name: "request with half a character",
		wire: `0900 0000 4800 0300 5c00 5c`,
		want: new(smbwire.TreeConnectRequest), err: "a string of 3 bytes",
	},
	{
		name: "response",
		wire: `
			1000 02 00                         # StructureSize 16, a pipe, Reserved
			30000000 00000000 ff011f00         # no caching, Capabilities, MaximalAccess
		`,
		want: &smbwire.TreeConnectResponse{
			ShareType: smbwire.SharePipe, ShareFlags: smbwire.ShareNoCaching, MaximalAccess: smbwire.FileAllAccess,
		},
	},
}

func TestSessionSetup(t *testing.T) { runWireTests(t, header, sessionSetupTests) }
func TestTreeConnect(t *testing.T)  { runWireTests(t, header, treeConnectTests) }
