package smb_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// The sizes of what each class holds about a file of five bytes, d\five.txt,
// and the least buffer that is accepted.
var queryTests = []struct {
	kind  smbwire.InfoType
	class uint8
	least uint32
	size  int
}{
	{smbwire.InfoFile, uint8(smbwire.FileBasicInformation), 40, 40},
	{smbwire.InfoFile, uint8(smbwire.FileStandardInformation), 24, 24},
	{smbwire.InfoFile, uint8(smbwire.FileInternalInformation), 8, 8},
	{smbwire.InfoFile, uint8(smbwire.FileEAInformation), 4, 4},
	{smbwire.InfoFile, uint8(smbwire.FileAccessInformation), 4, 4},
	{smbwire.InfoFile, uint8(smbwire.FileNameInformation), 8, 4 + 2*11},
	{smbwire.InfoFile, uint8(smbwire.FilePositionInformation), 8, 8},
	{smbwire.InfoFile, uint8(smbwire.FileModeInformation), 4, 4},
	{smbwire.InfoFile, uint8(smbwire.FileAlignmentInformation), 4, 4},
	{smbwire.InfoFile, uint8(smbwire.FileAllInformation), 104, 100 + 2*11},
	{smbwire.InfoFile, uint8(smbwire.FileAlternateNameInformation), 8, 4 + 2*8},
	{smbwire.InfoFile, uint8(smbwire.FileStreamInformation), 32, 24 + 2*7},
	{smbwire.InfoFile, uint8(smbwire.FileCompressionInformation), 16, 16},
	{smbwire.InfoFile, uint8(smbwire.FileNetworkOpenInformation), 56, 56},
	{smbwire.InfoFile, uint8(smbwire.FileAttributeTagInformation), 8, 8},
	{smbwire.InfoFile, uint8(smbwire.FileNormalizedNameInformation), 8, 4 + 2*10},
	{smbwire.InfoFile, uint8(smbwire.FileStandardLinkInformation), 12, 12},
	{smbwire.InfoFile, uint8(smbwire.FileIDInformation), 24, 24},
	{smbwire.InfoFileSystem, uint8(smbwire.FSVolumeInformation), 24, 18 + 2*5},
	{smbwire.InfoFileSystem, uint8(smbwire.FSSizeInformation), 24, 24},
	{smbwire.InfoFileSystem, uint8(smbwire.FSDeviceInformation), 8, 8},
	{smbwire.InfoFileSystem, uint8(smbwire.FSAttributeInformation), 16, 12 + 2*4},
	{smbwire.InfoFileSystem, uint8(smbwire.FSControlInformation), 48, 48},
	{smbwire.InfoFileSystem, uint8(smbwire.FSFullSizeInformation), 32, 32},
	{smbwire.InfoFileSystem, uint8(smbwire.FSObjectIDInformation), 64, 64},
	{smbwire.InfoFileSystem, uint8(smbwire.FSSectorSizeInformation), 28, 28},
}

func fiveBytes(t testing.TB, tree *smbclient.Tree) *smbclient.File {
	made(t, tree, folder("d"))
	if err := tree.WriteFile(ctx, `d\five.txt`, []byte("bytes")); err != nil {
		t.Fatal(err)
	}
	return open(t, tree, everything(`d\five.txt`))
}

// A buffer that is too small for the fixed part is refused; one that is too
// small for the rest gets what there is room for, with a warning.
func TestQueryBuffers(t *testing.T) {
	f := fiveBytes(t, mount(t, memfs.New(memfs.Label("label"))))
	for _, tt := range queryTests {
		name := fmt.Sprintf("type %d, class %d", tt.kind, tt.class)
		if _, status := query(t, f, tt.kind, tt.class, tt.least-1); status != smbwire.StatusInfoLengthMismatch {
			t.Errorf("%s: buffer of %d: %v", name, tt.least-1, status)
		}
		all, status := query(t, f, tt.kind, tt.class, 65536)
		if status != smbwire.StatusOK || len(all) != tt.size {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(all), status, tt.size)
		}
		if _, status := query(t, f, tt.kind, tt.class, uint32(tt.size)); status != smbwire.StatusOK {
			t.Errorf("%s: buffer of just its size: %v", name, status)
		}
		if tt.size <= int(tt.least) {
			continue
		}
		part, status := query(t, f, tt.kind, tt.class, uint32(tt.size-1))
		if status != smbwire.StatusBufferOverflow || !bytes.Equal(part, all[:tt.size-1]) {
			t.Errorf("%s: buffer of a byte less: %d bytes, %v", name, len(part), status)
		}
	}
}

func TestQueryTellsOneStory(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	var all smbwire.AllInformation
	var network smbwire.NetworkOpenInformation
	var internal smbwire.InternalInformation
	var id smbwire.IDInformation
	var streams smbwire.StreamInformation
	var tag smbwire.AttributeTagInformation
	for _, q := range []struct {
		class smbwire.FileInfoClass
		into  smbclient.Decoder
	}{
		{smbwire.FileAllInformation, &all},
		{smbwire.FileNetworkOpenInformation, &network},
		{smbwire.FileInternalInformation, &internal},
		{smbwire.FileIDInformation, &id},
		{smbwire.FileStreamInformation, &streams},
		{smbwire.FileAttributeTagInformation, &tag},
	} {
		if err := f.Query(ctx, q.class, q.into); err != nil {
			t.Fatalf("%v: %v", q.class, err)
		}
	}
	if all.Name != `\d\five.txt` || all.Standard.EndOfFile != 5 || all.Standard.NumberOfLinks != 1 || all.Standard.Directory {
		t.Errorf("all: %+v", all)
	}
	if all.Access != smbwire.FileAllAccess {
		t.Errorf("access %#x", all.Access)
	}
	m := everything(`d\five.txt`)
	m.Contexts = smbwire.CreateContexts{{Name: smbwire.ContextDiskID}}
	var disk smbwire.DiskIDResponse
	data, _ := open(t, tree, m).Info().Contexts.Find(smbwire.ContextDiskID)
	disk.Decode(cursor.NewReader(data))
	if all.FileID != internal.FileID || all.FileID != id.FileID || all.FileID != disk.DiskFileID || all.FileID < 17 {
		t.Errorf("ids %d, %d, %d, %d", all.FileID, internal.FileID, id.FileID, disk.DiskFileID)
	}
	if id.VolumeSerial != disk.VolumeID {
		t.Errorf("volumes %#x, %#x", id.VolumeSerial, disk.VolumeID)
	}
	want := smbwire.NetworkOpenInformation{
		CreationTime: all.Basic.CreationTime, LastAccessTime: all.Basic.LastAccessTime,
		LastWriteTime: all.Basic.LastWriteTime, ChangeTime: all.Basic.ChangeTime,
		AllocationSize: all.Standard.AllocationSize, EndOfFile: 5, FileAttributes: all.Basic.FileAttributes,
	}
	if network != want {
		t.Errorf("network open: %+v, want %+v", network, want)
	}
	if len(streams.Streams) != 1 || streams.Streams[0].Name != "::$DATA" || streams.Streams[0].Size != 5 {
		t.Errorf("streams %+v", streams)
	}
	if tag.FileAttributes != all.Basic.FileAttributes || tag.ReparseTag != 0 {
		t.Errorf("attribute tag %+v, want %#x", tag, all.Basic.FileAttributes)
	}
	var s smbwire.StandardInformation
	d := open(t, tree, folder("d"))
	if err := d.Query(ctx, smbwire.FileStandardInformation, &s); err != nil {
		t.Fatal(err)
	}
	if want := (smbwire.StandardInformation{NumberOfLinks: 1, Directory: true}); s != want {
		t.Errorf("folder: %+v, want %+v", s, want)
	}
}

func TestQueryNeedsRights(t *testing.T) {
	tree := mount(t, memfs.New())
	fiveBytes(t, tree)
	reader := open(t, tree, smbclient.Existing(`d\five.txt`, smbwire.FileReadData))
	attributes := open(t, tree, smbclient.Existing(`d\five.txt`, smbwire.FileReadAttributes))
	for class, needs := range map[smbwire.FileInfoClass]bool{
		smbwire.FileBasicInformation:        true,
		smbwire.FileAllInformation:          true,
		smbwire.FileNetworkOpenInformation:  true,
		smbwire.FileAttributeTagInformation: true,
		smbwire.FileStandardInformation:     false,
		smbwire.FileInternalInformation:     false,
		smbwire.FileStreamInformation:       false,
		smbwire.FileEAInformation:           false,
		smbwire.FilePositionInformation:     false,
	} {
		want := smbwire.StatusOK
		if needs {
			want = smbwire.StatusAccessDenied
		}
		if _, status := query(t, reader, smbwire.InfoFile, uint8(class), 4096); status != want {
			t.Errorf("%v without the right: %v, want %v", class, status, want)
		}
		if _, status := query(t, attributes, smbwire.InfoFile, uint8(class), 4096); status != smbwire.StatusOK {
			t.Errorf("%v with it: %v", class, status)
		}
	}
	if _, status := query(t, attributes, smbwire.InfoFile, uint8(smbwire.FileFullEAInformation), 4096); status != smbwire.StatusAccessDenied {
		t.Errorf("extended attributes without the right: %v", status)
	}
	all := open(t, tree, everything(`d\five.txt`))
	if _, status := query(t, all, smbwire.InfoFile, uint8(smbwire.FileFullEAInformation), 4096); status != smbwire.StatusNoEAsOnFile {
		t.Errorf("extended attributes with it: %v", status)
	}
}

func TestQueryRefusals(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	for _, tt := range []struct {
		name  string
		kind  smbwire.InfoType
		class uint8
		size  uint32
		want  smbwire.Status
	}{
		{"no file class", smbwire.InfoFile, 0, 4096, smbwire.StatusInvalidInfoClass},
		{"a class of listings", smbwire.InfoFile, uint8(smbwire.FileDirectoryInformation), 4096, smbwire.StatusInvalidInfoClass},
		{"a class that is only set", smbwire.InfoFile, uint8(smbwire.FileRenameInformation), 4096, smbwire.StatusInvalidInfoClass},
		{"remote protocol", smbwire.InfoFile, uint8(smbwire.FileRemoteProtocolInformation), 4096, smbwire.StatusInvalidInfoClass},
		{"no volume class", smbwire.InfoFileSystem, 200, 4096, smbwire.StatusInvalidInfoClass},
		{"quota", smbwire.InfoQuota, 0, 4096, smbwire.StatusNotSupported},
		{"no type", 9, 0, 4096, smbwire.StatusInvalidParameter},
		{"a buffer beyond the limit", smbwire.InfoFile, uint8(smbwire.FileBasicInformation), 8<<20 + 1, smbwire.StatusInvalidParameter},
	} {
		if _, status := query(t, f, tt.kind, tt.class, tt.size); status != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, status, tt.want)
		}
	}
}

func TestAlternateNames(t *testing.T) {
	tree := mount(t, memfs.New())
	for name, want := range map[string]smbwire.Status{
		"readme.txt":    smbwire.StatusOK,
		"ÄRGER":         smbwire.StatusObjectNameNotFound,
		"a long name":   smbwire.StatusObjectNameNotFound,
		"two.dots.here": smbwire.StatusObjectNameNotFound,
		"x.html":        smbwire.StatusObjectNameNotFound,
	} {
		f := made(t, tree, everything(name))
		if _, status := query(t, f, smbwire.InfoFile, uint8(smbwire.FileAlternateNameInformation), 4096); status != want {
			t.Errorf("%s: %v, want %v", name, status, want)
		}
	}
}

func TestNormalizedNameIsForNewDialects(t *testing.T) {
	tree := mountWith(t, memfs.New(), smbclient.Options{Dialects: []smbwire.Dialect{smbwire.Dialect302}})
	f := made(t, tree, everything("f"))
	if _, status := query(t, f, smbwire.InfoFile, uint8(smbwire.FileNormalizedNameInformation), 4096); status != smbwire.StatusNotSupported {
		t.Errorf("3.0.2: %v", status)
	}
}

// A name is shown in the spelling that is stored, not in that of the open.
func TestNamesAreShownAsStored(t *testing.T) {
	tree := mount(t, memfs.New())
	made(t, tree, folder("Folder"))
	made(t, tree, everything(`folder\File`))
	f := open(t, tree, everything(`FOLDER\FILE`))
	var n smbwire.NameInformation
	if err := f.Query(ctx, smbwire.FileNormalizedNameInformation, &n); err != nil || n.Name != `Folder\File` {
		t.Errorf("%q, %v", n.Name, err)
	}
}
