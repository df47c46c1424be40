package afpwire_test

import (
	"math"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// The parameters that clients of today ask for, of a file and of a folder.
const (
	fileBits = afpwire.BitAttributes | afpwire.BitParent | afpwire.BitModified | afpwire.BitFinderInfo | afpwire.BitNodeID |
		afpwire.BitExtDataLength | afpwire.BitUTF8Name | afpwire.BitExtResourceLength | afpwire.BitUnixPrivs
	dirBits = afpwire.BitParent | afpwire.BitNodeID | afpwire.BitOffspring | afpwire.BitAccess | afpwire.BitUTF8Name
)

const (
	// fileHex is the block of a file.
	fileHex = `
		0020                                # attributes: write inhibit
		00000011                            # parent 17
		2f000000                            # changed
		5445585474747874 0000000000000000   # Finder info: TEXT, ttxt
		0000000000000000 0000000000000000
		00000012                            # id 18
		0000000100000000                    # 4 GiB of data
		0054 00000000                       # the name is at 84
		0000000000000100                    # 256 bytes of resources
		000003e8 00000064 000081a4 87000000 # 1000, 100, -rw-r--r--, the owner
		08000103 0005 612e747874            # a.txt
	`
	// dirHex is the block of a folder.
	dirHex = `
		00000002 00000011                   # parent 2, id 17
		0003                                # three children
		87070707                            # the owner, and everyone may everything
		0014 00000000                       # the name is at 20
		08000103 0004 666f6c64              # fold
	`
)

func someFile() afpwire.Parms {
	return afpwire.Parms{
		Attributes: afpwire.AttrWriteInhibit, Parent: 17, Modified: 0x2f000000,
		FinderInfo: afpwire.FinderInfo([]byte("TEXTttxt\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")),
		ID:         18, DataLength: 1 << 32, UTF8Name: "a.txt", ResourceLength: 256,
		UnixPrivs: afpwire.UnixPrivs{UserID: 1000, GroupID: 100, Mode: 0o100644, Access: afpwire.UserIsOwner | afpwire.MayAll<<afpwire.UsersRights},
	}
}

func someDir() afpwire.Parms {
	return afpwire.Parms{
		Dir: true, Parent: 2, ID: 17, Offspring: 3, UTF8Name: "fold",
		Access: afpwire.UserIsOwner | afpwire.MayAll<<afpwire.UsersRights | afpwire.MayAll<<afpwire.EveryonesRight |
			afpwire.MayAll<<afpwire.GroupsRights | afpwire.MayAll<<afpwire.OwnersRights,
	}
}

var filedirTests = []wireTest{
	{
		wire: `
			22 00 0001 00000002 e92b 3302    # volume 1, folder 2, bitmaps
			03 08000103 0006 666f6c64 00 61  # "fold", NUL, "a"
		`,
		want: &afpwire.GetFileDirParmsRequest{Volume: 1, Dir: 2, Files: 0xe92b, Dirs: 0x3302, Path: afpwire.UTF8Path("fold", "a")},
	},
	{name: "a short name", wire: `22 00 0001 00000002 0001 0001 01 01 61`, want: &afpwire.GetFileDirParmsRequest{Volume: 1, Dir: 2, Files: 1, Dirs: 1, Path: afpwire.Path{Type: afpwire.ShortNames, Name: "a"}}},
	{name: "a path of no type", wire: `22 00 0001 00000002 0001 0001 04 01 61`, want: &afpwire.GetFileDirParmsRequest{}, err: "path of type 4"},
	{name: "a file", wire: `e92b 3302 00 00` + fileHex, want: &afpwire.GetFileDirParmsReply{Files: fileBits, Dirs: dirBits, Parms: someFile()}},
	{name: "a folder", wire: `e92b 3302 80 00` + dirHex, want: &afpwire.GetFileDirParmsReply{Files: fileBits, Dirs: dirBits, Parms: someDir()}},
	{name: "nothing", wire: `0000 0000 80 00`, want: &afpwire.GetFileDirParmsReply{Parms: afpwire.Parms{Dir: true}}},
	{
		name: "all of a file of AFP 2",
		wire: `
			37ff 0000 00 00
			0000 00000011 00000001 00000002 80000000 # attributes, parent, dates
			0000000000000000 0000000000000000 0000000000000000 0000000000000000
			004a 0050                                # names at 74 and 80
			00000012 00000005 00000006               # id, lengths
			0004                                     # launch limit
			04 00 0000 0000                          # ProDOS: a text file
			05 612e747874 05 412e545854              # a.txt, A.TXT
		`,
		want: &afpwire.GetFileDirParmsReply{Files: 0x37ff, Parms: afpwire.Parms{
			AFP2: true, Parent: 17, Created: 1, Modified: 2, BackedUp: afpwire.NoDate, LongName: "a.txt", ShortName: "A.TXT",
			ID: 18, DataLength: 5, ResourceLength: 6, LaunchLimit: 4, ProDOSInfo: [6]byte{4},
		}},
	},
	{
		name: "all of a folder",
		wire: `
			0000 bfff 80 00
			0000 00000002 00000001 00000002 80000000
			0000000000000000 0000000000000000 0000000000000000 0000000000000000
			0000 0000                                # the root's parent has no names
			00000011 0001 000003e8 00000064 07000000 # id, children, owner, group, access
			0000 00000000
			000003e8 00000064 000041ed 07000000
		`,
		want: &afpwire.GetFileDirParmsReply{Dirs: afpwire.DirBits, Parms: afpwire.Parms{
			Dir: true, Parent: 2, Created: 1, Modified: 2, BackedUp: afpwire.NoDate, ID: 17, Offspring: 1, OwnerID: 1000, GroupID: 100,
			Access:    afpwire.MayAll << afpwire.UsersRights,
			UnixPrivs: afpwire.UnixPrivs{UserID: 1000, GroupID: 100, Mode: 0o40755, Access: afpwire.MayAll << afpwire.UsersRights},
		}},
	},
	{name: "a folder with a resource fork", wire: `0000 4000 80 00 0000000000000000`, want: &afpwire.GetFileDirParmsReply{}, err: "kFPBitmapErr"},
	{name: "a long name beyond the end", wire: `0040 0000 00 00 0003 01 61`, want: &afpwire.GetFileDirParmsReply{}, err: "too short"},
	{name: "a UTF-8 name beyond the end", wire: `2000 0000 00 00 0006 00000000 08000103 0002 61`, want: &afpwire.GetFileDirParmsReply{}, err: "too short"},
	{name: "the length of a name beyond the end", wire: `2000 0000 00 00 0008 00000000 080001`, want: &afpwire.GetFileDirParmsReply{}, err: "too short"},

	{
		name: "dates of a file",
		wire: `
			1e 00 0001 00000002 000c
			02 04 612e7478       # a.tx
			00000001 00000002    # at an even offset without a pad
		`,
		want: &afpwire.SetParmsRequest{
			Command: afpwire.SetFileParms, Volume: 1, Dir: 2, Bitmap: afpwire.BitCreated | afpwire.BitModified,
			Path: afpwire.LongPath("a.tx"), Block: []byte{0, 0, 0, 1, 0, 0, 0, 2},
		},
	},
	{
		name: "padded",
		wire: `23 00 0001 00000002 0001 02 05 612e747874 00 8001`,
		want: &afpwire.SetParmsRequest{
			Command: afpwire.SetFileDirParms, Volume: 1, Dir: 2, Bitmap: afpwire.BitAttributes,
			Path: afpwire.LongPath("a.txt"), Block: []byte{0x80, 0x01},
		},
	},
	{name: "nothing", wire: `1d 00 0001 00000002 0000 02 00`, want: &afpwire.SetParmsRequest{Command: afpwire.SetDirParms, Volume: 1, Dir: 2, Path: afpwire.LongPath()}},
	{name: "another command", wire: `08 00 0001 00000002 0000 02 00`, want: &afpwire.SetParmsRequest{}, err: "FPDelete where FPSetFileDirParms"},
}

func TestFileDir(t *testing.T) { runWireTests(t, filedirTests) }

func TestShortLengthsAreCut(t *testing.T) {
	for _, tt := range []struct{ length, want uint64 }{{math.MaxUint32 - 1, math.MaxUint32 - 1}, {math.MaxUint32, math.MaxUint32}, {1 << 32, math.MaxUint32}, {math.MaxUint64, math.MaxUint32}} {
		p := afpwire.Parms{DataLength: tt.length, ResourceLength: tt.length}
		w := cursor.NewWriter(nil)
		p.Encode(w, afpwire.BitDataLength|afpwire.BitResourceLength)
		p.Decode(cursor.NewReader(w.Message()), afpwire.BitDataLength|afpwire.BitResourceLength)
		if p.DataLength != tt.want || p.ResourceLength != tt.want {
			t.Errorf("%#x is written as %#x and %#x", tt.length, p.DataLength, p.ResourceLength)
		}
	}
}
