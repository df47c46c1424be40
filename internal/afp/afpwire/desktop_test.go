package afpwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

var (
	creator = afpwire.OSType{'t', 't', 'x', 't'}
	text    = afpwire.OSType{'T', 'E', 'X', 'T'}
)

var desktopTests = []wireTest{
	{wire: `30 00 0001`, want: &afpwire.OpenDTRequest{Volume: 1}},
	{wire: `0001`, want: &afpwire.OpenDTReply{Desktop: 1}},
	{wire: `31 00 0001`, want: &afpwire.CloseDTRequest{Desktop: 1}},
	{wire: `38 00 0001 00000002 ` + otherHex + ` 02 6869`, want: &afpwire.AddCommentRequest{Desktop: 1, Dir: 2, Path: otherPath, Comment: "hi"}},
	{name: "padded", wire: `38 00 0001 00000002 02 01 61 00 02 6869`, want: &afpwire.AddCommentRequest{Desktop: 1, Dir: 2, Path: afpwire.LongPath("a"), Comment: "hi"}},
	{wire: `39 00 0001 00000002 ` + pathHex, want: &afpwire.RemoveCommentRequest{Desktop: 1, Dir: 2, Path: somePath}},
	{wire: `3a 00 0001 00000002 ` + pathHex, want: &afpwire.GetCommentRequest{Desktop: 1, Dir: 2, Path: somePath}},
	{wire: `02 6869`, want: &afpwire.GetCommentReply{Comment: "hi"}},

	{wire: `c0 00 0001 74747874 54455854 01 00 00000005 0100`, want: &afpwire.AddIconRequest{Desktop: 1, Creator: creator, Type: text, IconType: 1, Tag: 5, Size: 256}},
	{wire: `33 00 0001 74747874 54455854 01 00 0100`, want: &afpwire.GetIconRequest{Desktop: 1, Creator: creator, Type: text, IconType: 1, Size: 256}},
	{wire: `ffff0000`, want: &afpwire.GetIconReply{Icon: []byte{0xff, 0xff, 0, 0}}},
	{wire: `34 00 0001 74747874 0002`, want: &afpwire.GetIconInfoRequest{Desktop: 1, Creator: creator, Index: 2}},
	{wire: `00000005 54455854 01 00 0100`, want: &afpwire.GetIconInfoReply{Tag: 5, Type: text, IconType: 1, Size: 256}},

	{wire: `35 00 0001 00000002 74747874 00000005 ` + pathHex, want: &afpwire.AddAPPLRequest{Desktop: 1, Dir: 2, Creator: creator, Tag: 5, Path: somePath}},
	{wire: `36 00 0001 00000002 74747874 ` + pathHex, want: &afpwire.RemoveAPPLRequest{Desktop: 1, Dir: 2, Creator: creator, Path: somePath}},
	{wire: `37 00 0001 74747874 0001 e92b`, want: &afpwire.GetAPPLRequest{Desktop: 1, Creator: creator, Index: 1, Bitmap: fileBits}},
	{wire: `e92b 00000005` + fileHex, want: &afpwire.GetAPPLReply{Bitmap: fileBits, Tag: 5, Parms: someFile()}},
}

func TestDesktop(t *testing.T) { runWireTests(t, desktopTests) }
