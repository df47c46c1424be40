package afpwire_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

var serverTests = []wireTest{
	{wire: `0f 00`, want: &afpwire.GetSrvrInfoRequest{}},
	{
		name: "of today",
		wire: `
			0018 001d 0032 0000     # machine, versions, login methods; no icon
			0230                    # flags: signature, TCP, UTF-8 name
			04 646f7a6f 00          # "dozo", padded
			0038 0048 0051 0052     # signature, addresses, directories, UTF-8 name
			04 556e6978             # Unix
			03                      # three versions
			   06 414650332e34      # AFP3.4
			   06 414650332e33      # AFP3.3
			   05 414650322e        # "AFP2."
			01 04 44485832          # one method: DHX2
			000102030405060708090a0b0c0d0e0f
			01 08 02 7f000001 1f90  # 127.0.0.1:8080
			00                      # no directories
			0004 646f7a6f
		`,
		want: &afpwire.ServerInfo{
			Flags: afpwire.ServerSignature | afpwire.ServerTCP | afpwire.ServerUTF8Name,
			Name:  "dozo", Machine: "Unix", Versions: []string{"AFP3.4", "AFP3.3", "AFP2."}, UAMs: []string{"DHX2"},
			Signature: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
			Addresses: []afpwire.NetworkAddress{{Type: afpwire.AddressIPv4Port, Data: []byte{127, 0, 0, 1, 0x1f, 0x90}}},
			UTF8Name:  "dozo",
		},
	},
	{
		name: "of AFP 2.1, without any of the four offsets, and in another order",
		wire: `
			0010 0013 000e 0000  # machine, versions, login methods
			0001 03 783233       # "x23", at an even offset
			01 00                # one method without a name
			02 4d61              # Ma
			01 02 3231
		`,
		want:    &afpwire.ServerInfo{Flags: afpwire.ServerCopyFile, Name: "x23", Machine: "Ma", Versions: []string{"21"}, UAMs: []string{""}},
		lenient: true,
	},
	{name: "an offset beyond the end", wire: `0100 0000 0000 0000 0000 01 78`, want: &afpwire.ServerInfo{}, err: "too short"},
	{name: "a signature beyond the end", wire: `0000 0000 0000 0000 0010 01 78 0020 0000 0000 0000`, want: &afpwire.ServerInfo{}, err: "too short"},
	{name: "an address without a type", wire: `0000 0000 0000 0000 0000 01 78 0000 0014 0000 0000 01 01 01`, want: &afpwire.ServerInfo{}, err: "network address of 1 bytes"},

	{wire: `10 00`, want: &afpwire.GetSrvrParmsRequest{}},
	{
		wire: `
			2f000000        # the time
			02              # two volumes
			00 04 686f6d65  # home
			81 03 6f6c64    # old: with a password, for an Apple II
		`,
		want: &afpwire.GetSrvrParmsReply{Time: 0x2f000000, Volumes: []afpwire.ListedVolume{
			{Name: "home"}, {HasPassword: true, HasConfigInfo: true, Name: "old"},
		}},
	},
	{name: "fewer than it says", wire: `2f000000 02 00 04 686f6d65`, want: &afpwire.GetSrvrParmsReply{}, err: "too short"},

	{wire: `26 00 0001 0003`, want: &afpwire.GetSrvrMsgRequest{Type: afpwire.ServerMessage, Bitmap: afpwire.MessageWanted | afpwire.MessageUTF8}},
	{name: "UTF-8", wire: `0001 0003 0003 627965`, want: &afpwire.GetSrvrMsgReply{Type: afpwire.ServerMessage, Bitmap: 3, Text: "bye"}},
	{name: "MacRoman", wire: `0000 0001 03 627965`, want: &afpwire.GetSrvrMsgReply{Bitmap: 1, Text: "bye"}},
}

func TestServer(t *testing.T) { runWireTests(t, serverTests) }

func TestNetworkAddressOf(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want afpwire.NetworkAddress
	}{
		{"192.0.2.1:548", afpwire.NetworkAddress{Type: afpwire.AddressIPv4, Data: []byte{192, 0, 2, 1}}},
		{"192.0.2.1:5480", afpwire.NetworkAddress{Type: afpwire.AddressIPv4Port, Data: []byte{192, 0, 2, 1, 0x15, 0x68}}},
		{"[::ffff:192.0.2.1]:548", afpwire.NetworkAddress{Type: afpwire.AddressIPv4, Data: []byte{192, 0, 2, 1}}},
		{"[fe80::1%eth0]:548", afpwire.NetworkAddress{Type: afpwire.AddressIPv6, Data: append([]byte{0xfe, 0x80}, append(make([]byte, 13), 1)...)}},
		{"[::1]:80", afpwire.NetworkAddress{Type: afpwire.AddressIPv6Port, Data: append(make([]byte, 15), 1, 0, 80)}},
	} {
		got := afpwire.NetworkAddressOf(netip.MustParseAddrPort(tt.addr))
		if got.Type != tt.want.Type || !slices.Equal(got.Data, tt.want.Data) {
			t.Errorf("%s is %v, want %v", tt.addr, got, tt.want)
		}
	}
}
