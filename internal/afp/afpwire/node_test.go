package afpwire_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/hexdump"
)

// Paths of the tests and their bytes.
const (
	pathHex  = "03 08000103 0003 e38182" // one letter of three bytes
	otherHex = "03 08000103 0001 62"
	emptyHex = "03 08000103 0000"
)

var (
	somePath  = afpwire.UTF8Path("あ")
	otherPath = afpwire.UTF8Path("b")
	emptyPath = afpwire.UTF8Path()
)

var nodeTests = []wireTest{
	{wire: `07 00 0001 00000002 ` + pathHex, want: &afpwire.CreateFileRequest{Volume: 1, Dir: 2, Path: somePath}},
	{name: "in place of another", wire: `07 80 0001 00000002 ` + pathHex, want: &afpwire.CreateFileRequest{Hard: true, Volume: 1, Dir: 2, Path: somePath}},
	{wire: `06 00 0001 00000002 ` + pathHex, want: &afpwire.CreateDirRequest{Volume: 1, Dir: 2, Path: somePath}},
	{wire: `00000011`, want: &afpwire.CreateDirReply{ID: 17}},
	{wire: `08 00 0001 00000002 ` + pathHex, want: &afpwire.DeleteRequest{Volume: 1, Dir: 2, Path: somePath}},

	{wire: `1c 00 0001 00000002 ` + pathHex + otherHex, want: &afpwire.RenameRequest{Volume: 1, Dir: 2, Path: somePath, NewName: otherPath}},
	{
		wire: `17 00 0001 00000002 00000011 ` + pathHex + emptyHex + otherHex,
		want: &afpwire.MoveAndRenameRequest{Volume: 1, SourceDir: 2, DestDir: 17, Source: somePath, Dest: emptyPath, NewName: otherPath},
	},
	{
		wire: `05 00 0001 00000002 0002 00000011 ` + pathHex + emptyHex + otherHex,
		want: &afpwire.CopyFileRequest{SourceVolume: 1, SourceDir: 2, DestVolume: 2, DestDir: 17, Source: somePath, Dest: emptyPath, NewName: otherPath},
	},
	{
		wire: `2a 00 0001 00000002 00000011 ` + pathHex + otherHex,
		want: &afpwire.ExchangeFilesRequest{Volume: 1, SourceDir: 2, DestDir: 17, Source: somePath, Dest: otherPath},
	},

	{wire: `19 00 0001 00000002 ` + pathHex, want: &afpwire.OpenDirRequest{Volume: 1, Dir: 2, Path: somePath}},
	{wire: `00000011`, want: &afpwire.OpenDirReply{ID: 17}},
	{wire: `03 00 0001 00000011`, want: &afpwire.CloseDirRequest{Volume: 1, Dir: 17}},
	{wire: `4e 00 0001 00000011`, want: &afpwire.SyncDirRequest{Volume: 1, Dir: 17}},

	{wire: `27 00 0001 00000002 ` + pathHex, want: &afpwire.CreateIDRequest{Volume: 1, Dir: 2, Path: somePath}},
	{wire: `00000012`, want: &afpwire.CreateIDReply{ID: 18}},
	{wire: `28 00 0001 00000012`, want: &afpwire.DeleteIDRequest{Volume: 1, ID: 18}},
	{wire: `29 00 0001 00000012 e92b`, want: &afpwire.ResolveIDRequest{Volume: 1, ID: 18, Bitmap: fileBits}},
	{wire: `e92b` + fileHex, want: &afpwire.ResolveIDReply{Bitmap: fileBits, Parms: someFile()}},
}

func TestNodes(t *testing.T) { runWireTests(t, nodeTests) }

// TestDirOf finds the folder of every message that has one where Decode does.
func TestDirOf(t *testing.T) {
	for _, tt := range allTests() {
		name := reflect.TypeOf(tt.want).Elem().Name()
		if tt.err != "" || !strings.HasSuffix(name, "Request") {
			continue
		}
		wire := hexdump.Bytes(t, tt.wire)
		fields := reflect.ValueOf(tt.want).Elem()
		dir := fields.FieldByName("Dir")
		if !dir.IsValid() {
			dir = fields.FieldByName("SourceDir")
		}
		volume, got, ok := afpwire.DirOf(wire)
		if ok != dir.IsValid() || ok && (volume != 1 || got != afpwire.NodeID(dir.Uint())) {
			t.Errorf("%s: DirOf = %d, %d, %v", name, volume, got, ok)
		}
		if ok {
			if _, _, ok := afpwire.DirOf(wire[:7]); ok {
				t.Errorf("%s: DirOf finds a folder in seven bytes", name)
			}
		}
	}
	if _, _, ok := afpwire.DirOf(nil); ok {
		t.Error("DirOf finds a folder in nothing")
	}
}
