package afpwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

var extAttrTests = []wireTest{
	{
		wire: `
			45 00 0001 00000002 0001                     # volume 1, folder 2, of a link itself
			0000000000000000 ffffffffffffffff 00001000   # from the start, all, at most 4 KiB
			` + otherHex + ` 0003 612e62                 # a.b, at an even offset
		`,
		want: &afpwire.GetExtAttrRequest{Volume: 1, Dir: 2, Bitmap: afpwire.ExtAttrNoFollow, Count: -1, MaxReply: 4096, Path: otherPath, Name: "a.b"},
	},
	{
		name: "padded",
		wire: `45 00 0001 00000002 0000 0000000000000000 ffffffffffffffff 00000000 02 01 61 00 0003 612e62`,
		want: &afpwire.GetExtAttrRequest{Volume: 1, Dir: 2, Count: -1, Path: afpwire.LongPath("a"), Name: "a.b"},
	},
	{name: "its value", wire: `0001 00000003 010203`, want: &afpwire.GetExtAttrReply{Bitmap: afpwire.ExtAttrNoFollow, Length: 3, Value: []byte{1, 2, 3}}},
	{name: "its length", wire: `0000 00000003`, want: &afpwire.GetExtAttrReply{Length: 3}},
	{
		wire: `46 00 0001 00000002 0002 0000000000000000 ` + otherHex + ` 0003 612e62 00000003 010203`,
		want: &afpwire.SetExtAttrRequest{Volume: 1, Dir: 2, Bitmap: afpwire.ExtAttrCreate, Path: otherPath, Name: "a.b", Value: []byte{1, 2, 3}},
	},
	{name: "a value beyond the end", wire: `46 00 0001 00000002 0002 0000000000000000 ` + otherHex + ` 0003 612e62 00000004 010203`, want: &afpwire.SetExtAttrRequest{}, err: "too short"},
	{wire: `47 00 0001 00000002 0000 ` + otherHex + ` 0003 612e62`, want: &afpwire.RemoveExtAttrRequest{Volume: 1, Dir: 2, Path: otherPath, Name: "a.b"}},
	{
		wire: `48 00 0001 00000002 0001 0000 00000000 00001000 ` + pathHex,
		want: &afpwire.ListExtAttrsRequest{Volume: 1, Dir: 2, Bitmap: afpwire.ExtAttrNoFollow, MaxReply: 4096, Path: somePath},
	},
	{name: "names", wire: `0001 00000006 612e6200 6300`, want: &afpwire.ListExtAttrsReply{Bitmap: afpwire.ExtAttrNoFollow, Length: 6, Names: []string{"a.b", "c"}}},
	{name: "their length", wire: `0000 00000006`, want: &afpwire.ListExtAttrsReply{Length: 6}},
	{name: "a name without an end", wire: `0000 00000003 612e62`, want: &afpwire.ListExtAttrsReply{}, err: "without an end"},
}

func TestExtAttrs(t *testing.T) {
	runWireTests(t, extAttrTests)
	if n := afpwire.NamesLength([]string{"a.b", "c"}); n != 6 {
		t.Errorf("NamesLength = %d", n)
	}
}
