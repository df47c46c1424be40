package afpwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

const otherUUIDHex = "ffffeeee ddddccccbbbbaaaa 000003e8"

var otherUUID = afpwire.UUID{0xff, 0xff, 0xee, 0xee, 0xdd, 0xdd, 0xcc, 0xcc, 0xbb, 0xbb, 0xaa, 0xaa, 0x00, 0x00, 0x03, 0xe8}

var aclTests = []wireTest{
	{wire: `49 00 0001 00000002 0007 00000000 ` + pathHex, want: &afpwire.GetACLRequest{Volume: 1, Dir: 2, Bitmap: afpwire.ACLBitOwner | afpwire.ACLBitGroup | afpwire.ACLBitACL, Path: somePath}},
	{
		wire: `0007 ` + someUUIDHex + otherUUIDHex + `
			00000002 00000000                         # two entries
			` + otherUUIDHex + ` 00000001 0000000e    # may read, write and execute
			` + someUUIDHex + ` 00000062 00000010     # may not delete; files and folders below neither
		`,
		want: &afpwire.GetACLReply{Bitmap: 7, Security: afpwire.Security{Owner: someUUID, Group: otherUUID, ACL: afpwire.ACL{Entries: []afpwire.ACE{
			{Who: otherUUID, Flags: afpwire.ACEPermit, Rights: afpwire.ACLReadData | afpwire.ACLWriteData | afpwire.ACLExecute},
			{Who: someUUID, Flags: afpwire.ACEDeny | afpwire.ACEFileInherit | afpwire.ACEDirectoryInherit, Rights: afpwire.ACLDelete},
		}}}},
	},
	{name: "the group", wire: `0002 ` + otherUUIDHex, want: &afpwire.GetACLReply{Bitmap: afpwire.ACLBitGroup, Security: afpwire.Security{Group: otherUUID}}},
	{name: "no list at all", wire: `0004 ffffffff 00000000`, want: &afpwire.GetACLReply{Bitmap: afpwire.ACLBitACL}, lenient: true},
	{name: "more entries than there are", wire: `0004 00000002 00000000 ` + someUUIDHex + `00000001 00000002`, want: &afpwire.GetACLReply{}, err: "list of 2 access control entries in 24 bytes"},
	{name: "more entries than are sane", wire: `0004 00000081 00000000`, want: &afpwire.GetACLReply{}, err: "list of 129"},
	{
		name: "a list",
		wire: `4a 00 0001 00000002 0014 02 01 61 00 00000001 00000001 ` + otherUUIDHex + ` 00000011 00000002`,
		want: &afpwire.SetACLRequest{
			Volume: 1, Dir: 2, Bitmap: afpwire.ACLBitACL | afpwire.ACLBitInherit, Path: afpwire.LongPath("a"),
			Security: afpwire.Security{ACL: afpwire.ACL{Flags: 1, Entries: []afpwire.ACE{{Who: otherUUID, Flags: afpwire.ACEPermit | afpwire.ACEInherited, Rights: afpwire.ACLReadData}}}},
		},
	},
	{name: "no list", wire: `4a 00 0001 00000002 0008 ` + otherHex, want: &afpwire.SetACLRequest{Volume: 1, Dir: 2, Bitmap: afpwire.ACLBitRemove, Path: otherPath}},
	{wire: `4b 00 0001 00000002 0000 ` + someUUIDHex + ` 00000006 ` + pathHex, want: &afpwire.AccessRequest{Volume: 1, Dir: 2, Who: someUUID, Rights: afpwire.ACLReadData | afpwire.ACLWriteData, Path: somePath}},
}

func TestACLs(t *testing.T) { runWireTests(t, aclTests) }
