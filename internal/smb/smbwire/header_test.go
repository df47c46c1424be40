package smbwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var headerTests = []wireTest{
	{
		name: "a signed request in a tree",
		wire: `
			fe534d42 4000 0100                 # ProtocolId, StructureSize 64, CreditCharge 1
			00000000 0800 7f00                 # Status, Command READ, Credits 127
			08000000 68000000                  # Flags signed, NextCommand 104
			0500000000000000                   # MessageId 5
			00000000 07000000                  # Reserved, TreeId 7
			0900000000000040                   # SessionId
			000102030405060708090a0b0c0d0e0f   # Signature
		`,
		want: &smbwire.Header{
			CreditCharge: 1, Command: smbwire.Read, Credits: 127, Flags: smbwire.FlagSigned, NextCommand: 104,
			MessageID: 5, TreeID: 7, SessionID: 0x4000000000000009,
			Signature: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		},
	},
	{
		name: "an interim response",
		wire: `
			fe534d42 4000 0000
			03010000 0a00 0100                 # STATUS_PENDING, LOCK, Credits 1
			03000000 00000000                  # Flags response and async
			0500000000000000
			1122334455667788                   # AsyncId
			0100000000000000
			00000000000000000000000000000000
		`,
		want: &smbwire.Header{
			Status: smbwire.StatusPending, Command: smbwire.Lock, Credits: 1,
			Flags: smbwire.FlagResponse | smbwire.FlagAsync, MessageID: 5, AsyncID: 0x8877665544332211, SessionID: 1,
		},
	},
	{name: "another protocol", wire: `ff534d42 4000`, want: new(smbwire.Header), err: "protocol id ff 53 4d 42"},
	{name: "wrong structure size", wire: `fe534d42 4100`, want: new(smbwire.Header), err: "structure size 65, want 64"},
	{name: "cut before the signature", wire: `fe534d42 4000 0100 00000000 0800`, want: new(smbwire.Header), err: "too short"},
}

var transformHeaderTests = []wireTest{
	{
		name: "an encrypted message",
		wire: `
			fd534d42
			000102030405060708090a0b0c0d0e0f   # Signature
			a0a1a2a3a4a5a6a7a8a9aaab00000000   # Nonce of a GCM cipher
			50000000 0000 0100                 # OriginalMessageSize 80, Reserved, Flags
			0900000000000000                   # SessionId
		`,
		want: &smbwire.TransformHeader{
			Signature:           [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
			Nonce:               [16]byte{0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab},
			OriginalMessageSize: 80, Flags: smbwire.TransformEncrypted, SessionID: 9,
		},
	},
	{name: "another protocol", wire: `fe534d42`, want: new(smbwire.TransformHeader), err: "protocol id fe 53 4d 42"},
	{name: "cut", wire: `fd534d42 00`, want: new(smbwire.TransformHeader), err: "too short"},
}

var emptyTests = []wireTest{
	{name: "empty", wire: `0400 0000`, want: new(smbwire.EchoRequest)},
	{name: "wrong structure size", wire: `0500 0000`, want: new(smbwire.EchoRequest), err: "structure size 5, want 4"},
	{name: "no body", wire: ``, want: new(smbwire.EchoRequest), err: "too short"},
}

func TestHeader(t *testing.T)          { runWireTests(t, nil, headerTests) }
func TestTransformHeader(t *testing.T) { runWireTests(t, nil, transformHeaderTests) }
func TestEmpty(t *testing.T)           { runWireTests(t, header, emptyTests) }

func TestHeaderOffsetsAreWhereTheFieldsAre(t *testing.T) {
	w := cursor.NewWriter(nil)
	(&smbwire.Header{}).Encode(w)
	w.PutU16(smbwire.HeaderCreditsOffset, 11)
	w.PutU32(smbwire.HeaderFlagsOffset, 12)
	w.PutU32(smbwire.HeaderNextCommandOffset, 16)
	w.PutU64(smbwire.HeaderSignatureOffset, 14)
	var got smbwire.Header
	r := cursor.NewReader(w.Message())
	got.Decode(r)
	if want := (smbwire.Header{Credits: 11, Flags: 12, NextCommand: 16, Signature: [16]byte{14}}); got != want {
		t.Errorf("header = %+v, want %+v", got, want)
	}
	if r.Err() != nil || r.Pos() != smbwire.HeaderSize {
		t.Errorf("read %d bytes, %v", r.Pos(), r.Err())
	}
}

func TestNames(t *testing.T) {
	for name, got := range map[string]string{
		"STATUS_INVALID_PARAMETER": smbwire.StatusInvalidParameter.Error(),
		"STATUS_SUCCESS":           smbwire.StatusOK.String(),
		"STATUS_12345678":          smbwire.Status(0x12345678).String(),
		"OPLOCK_BREAK":             smbwire.OplockBreak.String(),
		"NEGOTIATE":                smbwire.Negotiate.String(),
		"command 19":               smbwire.Commands.String(),
		"3.1.1":                    smbwire.Dialect311.String(),
	} {
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
}

func TestWarningsAreNoErrors(t *testing.T) {
	for status, want := range map[smbwire.Status]bool{
		smbwire.StatusOK:               false,
		smbwire.StatusPending:          false,
		smbwire.StatusBufferOverflow:   false,
		smbwire.StatusInvalidParameter: true,
	} {
		if got := status.IsError(); got != want {
			t.Errorf("%v.IsError() = %v", status, got)
		}
	}
}
