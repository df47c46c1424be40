package afpwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

const someUUIDHex = "00112233445566778899aabbccddeeff"

var someUUID = afpwire.UUID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}

var userTests = []wireTest{
	{wire: `25 01 00000000 0007`, want: &afpwire.GetUserInfoRequest{ThisUser: true, Bitmap: afpwire.UserBits}},
	{
		wire: `0007 000003e8 000003e9 ` + someUUIDHex,
		want: &afpwire.GetUserInfoReply{Bitmap: afpwire.UserBits, UserID: 1000, GroupID: 1001, UUID: someUUID},
	},
	{name: "the group only", wire: `0002 000003e9`, want: &afpwire.GetUserInfoReply{Bitmap: afpwire.UserBitGroupID, GroupID: 1001}},

	{name: "a group", wire: `15 02 00000064`, want: &afpwire.MapIDRequest{Function: afpwire.GroupIDToName, ID: 100}},
	{name: "a UUID", wire: `15 05 ` + someUUIDHex, want: &afpwire.MapIDRequest{Function: afpwire.UserUUIDToUTF8Name, UUID: someUUID}},
	{name: "a quarter of a UUID", wire: `15 05 00112233`, want: &afpwire.MapIDRequest{Function: afpwire.UserUUIDToUTF8Name, UUID: afpwire.UUID{0x00, 0x11, 0x22, 0x33}}, lenient: true},
	{name: "MacRoman", wire: `03 626f62`, want: &afpwire.MapIDReply{Function: afpwire.UserIDToName, Name: "bob"}},
	{name: "UTF-8", wire: `0003 626f62`, want: &afpwire.MapIDReply{Function: afpwire.UserIDToUTF8Name, Name: "bob"}},
	{
		name: "a UUID",
		wire: `00000002 00000064 0005 7374616666`,
		want: &afpwire.MapIDReply{Function: afpwire.UserUUIDToUTF8Name, Kind: afpwire.UUIDOfGroup, ID: 100, Name: "staff"},
	},

	{name: "UTF-8", wire: `16 01 0003 626f62`, want: &afpwire.MapNameRequest{Function: afpwire.UTF8NameToUserID, Name: "bob"}},
	{name: "MacRoman", wire: `16 03 03 626f62`, want: &afpwire.MapNameRequest{Function: afpwire.NameToUserID, Name: "bob"}},
	{name: "to a UUID", wire: `16 05 0003 626f62`, want: &afpwire.MapNameRequest{Function: afpwire.UTF8NameToUserUUID, Name: "bob"}},
	{wire: `000003e8`, want: &afpwire.MapNameReply{Function: afpwire.NameToUserID, ID: 1000}},
	{name: "a UUID", wire: someUUIDHex, want: &afpwire.MapNameReply{Function: afpwire.UTF8NameToUserUUID, UUID: someUUID}},
}

func TestUser(t *testing.T) { runWireTests(t, userTests) }
