package smbwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

const guidHex = "00112233445566778899aabbccddeeff"

var guid = [16]byte{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}

func pointer[T any](v T) *T { return &v }

var negotiateRequestTests = []wireTest{
	{
		name: "the old dialects",
		wire: `
			2400 0200 0100 0000                # StructureSize 36, two dialects, SigningEnabled, Reserved
			7f000000 ` + guidHex + `           # Capabilities, ClientGuid
			0000000000000000                   # ClientStartTime
			0202 1002                          # 2.0.2, 2.1
		`,
		want: &smbwire.NegotiateRequest{
			SecurityMode: smbwire.SigningEnabled, Capabilities: 0x7f, ClientGUID: guid,
			Dialects: []smbwire.Dialect{smbwire.Dialect202, smbwire.Dialect210},
		},
	},
	{
		name: "all contexts",
		wire: `
			2400 0100 0300 0000
			40000000 ` + guidHex + `
			68000000 0800 0000                 # NegotiateContextOffset 104, 8 contexts
			1103 0000                  # 3.1.1, padding to 104
			0100 0a00 00000000                 # preauth integrity, 10 bytes
			0100 0400 0100 deadbeef            #   one hash, 4 bytes of salt: SHA-512
			000000000000
			0200 0600 00000000                 # encryption, 6 bytes
			0200 0200 0100                     #   two ciphers: AES-128-GCM, AES-128-CCM
			0000
			0300 0a00 00000000                 # compression
			0100 0000 01000000 0400            #   one algorithm, chained: pattern
			000000000000
			0500 0600 00000000                 # net name
			6e00 6100 7300                     #   nas
			0000
			0600 0400 00000000                 # transport
			01000000                           #   secure
			00000000
			0700 0a00 00000000                 # RDMA transforms
			0100 0000 00000000 0200            #   one: signing
			000000000000
			0800 0600 00000000                 # signing
			0200 0200 0100                     #   two algorithms: GMAC, CMAC
			0000
			0001 0300 00000000                 # 0x100, not known
			aabbcc
		`,
		want: &smbwire.NegotiateRequest{
			SecurityMode: smbwire.SigningEnabled | smbwire.SigningRequired, Capabilities: smbwire.CapEncryption, ClientGUID: guid,
			Dialects: []smbwire.Dialect{smbwire.Dialect311},
			Contexts: smbwire.NegotiateContexts{
				Preauth:     &smbwire.PreauthIntegrity{Hashes: []uint16{smbwire.HashSHA512}, Salt: []byte{0xde, 0xad, 0xbe, 0xef}},
				Ciphers:     []smbwire.Cipher{smbwire.CipherAES128GCM, smbwire.CipherAES128CCM},
				Compression: &smbwire.Compression{Flags: 1, Algorithms: []uint16{4}},
				NetName:     pointer("nas"),
				Transport:   pointer(smbwire.TransportSecure),
				RDMA:        []uint16{2},
				Signing:     []smbwire.SigningAlgorithm{smbwire.SigningAESGMAC, smbwire.SigningAESCMAC},
				Unknown:     []smbwire.NegotiateContext{{Type: 0x100, Data: []byte{0xaa, 0xbb, 0xcc}}},
			},
		},
	},
	{
		name: "no dialect",
		wire: `2400 0000 0100 0000 00000000 ` + guidHex + `0000000000000000`,
		want: new(smbwire.NegotiateRequest), err: "0 dialects",
	},
	{
		name: "more dialects than there are bytes",
		wire: `2400 0300 0100 0000 00000000 ` + guidHex + `0000000000000000 0202 1002`,
		want: new(smbwire.NegotiateRequest), err: "too short",
	},
	{
		name: "more dialects than anyone speaks",
		wire: `2400 ffff 0100 0000 00000000 ` + guidHex + `0000000000000000`,
		want: new(smbwire.NegotiateRequest), err: "65535 dialects",
	},
	{
		name: "contexts out of bounds",
		wire: `2400 0100 0100 0000 00000000 ` + guidHex + `70000000 0100 0000 1103 0000`,
		want: new(smbwire.NegotiateRequest), err: "1 negotiate contexts at 112",
	},
	{
		name: "contexts in the header",
		wire: `2400 0100 0100 0000 00000000 ` + guidHex + `08000000 0100 0000 1103 0000`,
		want: new(smbwire.NegotiateRequest), err: "1 negotiate contexts at 8",
	},
	{
		name: "a context that comes twice",
		wire: `2400 0100 0100 0000 00000000 ` + guidHex + `68000000 0200 0000 1103 0000
			0200 0400 00000000 0100 0100 00000000
			0200 0400 00000000 0100 0200`,
		want: new(smbwire.NegotiateRequest), err: "negotiate context 2 comes twice",
	},
	{
		name: "a context that lists nothing",
		wire: `2400 0100 0100 0000 00000000 ` + guidHex + `68000000 0100 0000 1103 0000
			0200 0200 00000000 0000`,
		want: new(smbwire.NegotiateRequest), err: "lists 0 algorithms",
	},
	{
		name: "a context that ends in its list",
		wire: `2400 0100 0100 0000 00000000 ` + guidHex + `68000000 0100 0000 1103 0000
			0200 0300 00000000 0100 01`,
		want: new(smbwire.NegotiateRequest), err: "too short",
	},
	{
		name: "a context that ends behind the message",
		wire: `2400 0100 0100 0000 00000000 ` + guidHex + `68000000 0100 0000 1103 0000
			0200 0500 00000000 0100 0100`,
		want: new(smbwire.NegotiateRequest), err: "too short",
	},
}

var negotiateResponseTests = []wireTest{
	{
		name: "to an SMB1 negotiate",
		wire: `
			4100 0100 ff02 0000                # StructureSize 65, SigningEnabled, wildcard
			` + guidHex + `                    # ServerGuid
			01000000 00000100 00000200 00000300  # Capabilities; MaxTransact, MaxRead, MaxWrite
			0080b5f1663cda01 0000000000000000  # SystemTime, ServerStartTime
			8000 0000 00000000                 # no token
			00                                 # the empty variable part
		`,
		want: &smbwire.NegotiateResponse{
			SecurityMode: smbwire.SigningEnabled, DialectRevision: smbwire.DialectWildcard, ServerGUID: guid,
			Capabilities: smbwire.CapDFS, MaxTransactSize: 0x10000, MaxReadSize: 0x20000, MaxWriteSize: 0x30000,
			SystemTime: 0x01da3c66f1b58000,
		},
	},
	{
		name: "3.1.1",
		wire: `
			4100 0300 1103 0200
			` + guidHex + `
			00000000 00000100 00000100 00000100
			0000000000000000 0000000000000000
			8000 0300 88000000                 # token at 128, contexts at 136
			600160                             # the token
			0000000000
			0100 0700 00000000                 # preauth integrity
			0100 0100 0100 aa
			00
			0800 0400 00000000                 # signing
			0100 0200
		`,
		want: &smbwire.NegotiateResponse{
			SecurityMode: smbwire.SigningEnabled | smbwire.SigningRequired, DialectRevision: smbwire.Dialect311, ServerGUID: guid,
			MaxTransactSize: 0x10000, MaxReadSize: 0x10000, MaxWriteSize: 0x10000,
			SecurityBuffer: []byte{0x60, 0x01, 0x60},
			Contexts: smbwire.NegotiateContexts{
				Preauth: &smbwire.PreauthIntegrity{Hashes: []uint16{smbwire.HashSHA512}, Salt: []byte{0xaa}},
				Signing: []smbwire.SigningAlgorithm{smbwire.SigningAESGMAC},
			},
		},
	},
	{name: "wrong structure size", wire: `4000`, want: new(smbwire.NegotiateResponse), err: "structure size 64, want 65"},
}

var smb1NegotiateTests = []wireTest{
	{
		name: "a client that speaks both",
		wire: `
			ff534d42 72                        # SMB1, NEGOTIATE
			000000 00000000 00000000 00000000 00000000 00000000 00000000
			00 2200                            # no words, 34 bytes
			02 4e54204c4d20302e313200          # NT LM 0.12
			02 534d4220322e30303200            # SMB 2.002
			02 534d4220322e3f3f3f00            # SMB 2.???
		`,
		want: &smbwire.SMB1Negotiate{Dialects: []string{"NT LM 0.12", smbwire.SMB1Offers202, smbwire.SMB1OffersWildcard}},
	},
	{
		name: "another command",
		wire: `ff534d42 73 000000 00000000 00000000 00000000 00000000 00000000 00000000 00 0000`,
		want: new(smbwire.SMB1Negotiate), err: "SMB1 command 0x73",
	},
	{
		name: "a dialect without an end",
		wire: `ff534d42 72 000000 00000000 00000000 00000000 00000000 00000000 00000000 00 0300 02 4e54`,
		want: new(smbwire.SMB1Negotiate), err: "malformed",
	},
	{
		name: "words before the dialects",
		wire: `ff534d42 72 000000 00000000 00000000 00000000 00000000 00000000 00000000 01 0000 0000`,
		want: new(smbwire.SMB1Negotiate), err: "1 words",
	},
	{name: "cut in the header", wire: `ff534d42 72`, want: new(smbwire.SMB1Negotiate), err: "too short"},
}

func TestNegotiateRequest(t *testing.T)  { runWireTests(t, header, negotiateRequestTests) }
func TestNegotiateResponse(t *testing.T) { runWireTests(t, header, negotiateResponseTests) }
func TestSMB1Negotiate(t *testing.T)     { runWireTests(t, nil, smb1NegotiateTests) }

func TestOffers(t *testing.T) {
	m := smbwire.SMB1Negotiate{Dialects: []string{"NT LM 0.12", "SMB 2.???"}}
	if !m.Offers(smbwire.SMB1OffersWildcard) || m.Offers(smbwire.SMB1Offers202) {
		t.Errorf("offers of %v are mistaken", m.Dialects)
	}
}
