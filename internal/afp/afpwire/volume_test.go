package afpwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

var volumeTests = []wireTest{
	{wire: `18 00 0020 04 686f6d65 00`, want: &afpwire.OpenVolRequest{Bitmap: afpwire.VolBitID, Name: "home"}},
	{
		name: "with a password",
		wire: `18 00 0020 03 6f6c64 7365637265743800`,
		want: &afpwire.OpenVolRequest{Bitmap: afpwire.VolBitID, Name: "old", Password: afpwire.VolumePassword([]byte("secret8\x00"))},
	},
	{name: "a name beyond the end", wire: `18 00 0020 05 686f6d65`, want: &afpwire.OpenVolRequest{}, err: "too short"},
	{
		name: "everything",
		wire: `
			0fff
			0464 0002                            # attributes: ids, UNIX privileges, UTF-8, extended; fixed ids
			00000001 00000002 80000000           # made, changed, never backed up
			0001                                 # id
			ffffffff ffffffff                    # free and total do not fit,
			0030                                 # the name is at the end,
			0000000200000000 0000000300000000    # 8 GiB and 12 GiB do
			00001000                             # block size
			04 686f6d65
		`,
		want: &afpwire.VolParmsReply{Bitmap: afpwire.VolBits, Parms: afpwire.VolumeParms{
			Attributes: afpwire.VolHasFileIDs | afpwire.VolHasUnixPrivs | afpwire.VolHasUTF8Names | afpwire.VolHasExtAttrs,
			Signature:  afpwire.FixedDirIDs, Created: 1, Modified: 2, BackedUp: afpwire.NoDate, ID: 1,
			BytesFree: 2 << 32, BytesTotal: 3 << 32, Name: "home", BlockSize: 4096,
		}},
	},
	{name: "the id", wire: `0020 0007`, want: &afpwire.VolParmsReply{Bitmap: afpwire.VolBitID, Parms: afpwire.VolumeParms{ID: 7}}},
	{name: "an unknown bit", wire: `1000 0007`, want: &afpwire.VolParmsReply{}, err: "kFPBitmapErr"},
	{name: "a name beyond the end", wire: `0100 0010 04 686f6d65`, want: &afpwire.VolParmsReply{}, err: "too short"},
	{wire: `02 00 0001`, want: &afpwire.CloseVolRequest{Volume: 1}},
	{wire: `11 00 0001 0fff`, want: &afpwire.GetVolParmsRequest{Volume: 1, Bitmap: afpwire.VolBits}},
	{wire: `20 00 0001 0010 2f000000`, want: &afpwire.SetVolParmsRequest{Volume: 1, Bitmap: afpwire.VolBitBackedUp, BackedUp: 0x2f000000}},
	{name: "what can't be set", wire: `20 00 0001 0004 2f000000`, want: &afpwire.SetVolParmsRequest{Volume: 1, Bitmap: afpwire.VolBitCreated}, lenient: true},
	{wire: `0a 00 0001`, want: &afpwire.FlushRequest{Volume: 1}},
}

func TestVolume(t *testing.T) { runWireTests(t, volumeTests) }
