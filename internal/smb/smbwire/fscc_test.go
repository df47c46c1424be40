package smbwire_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var infoTests = []wireTest{
	{
		name: "basic",
		wire: `
			0080 3ed5 deb1 9d01  # CreationTime: 1970-01-01
			0000 0000 0000 0000  # LastAccessTime: leave alone
			ffff ffff ffff ffff  # LastWriteTime: freeze
			feff ffff ffff ffff  # ChangeTime: thaw
			2200 0000 0000 0000  # FileAttributes: hidden, archive; Reserved
		`,
		want: &smbwire.BasicInformation{
			CreationTime:   116444736000000000,
			LastWriteTime:  smbwire.FileTimeFreeze,
			ChangeTime:     smbwire.FileTimeThaw,
			FileAttributes: 0x22,
		},
	},
	{
		name: "standard",
		wire: `
			0010 0000 0000 0000 0102 0000 0000 0000  # AllocationSize, EndOfFile
			0200 0000 01 00 0000                     # NumberOfLinks, DeletePending, Directory
		`,
		want: &smbwire.StandardInformation{AllocationSize: 4096, EndOfFile: 513, NumberOfLinks: 2, DeletePending: true},
	},
	{
		name: "all",
		wire: `
			0100 0000 0000 0000 0200 0000 0000 0000  # CreationTime, LastAccessTime
			0300 0000 0000 0000 0400 0000 0000 0000  # LastWriteTime, ChangeTime
			1000 0000 0000 0000                      # FileAttributes
			0500 0000 0000 0000 0600 0000 0000 0000  # AllocationSize, EndOfFile
			0700 0000 00 01 0000                     # NumberOfLinks, Directory
			1100 0000 0000 0080                      # IndexNumber
			0000 0000 ff01 1f00                      # EaSize, AccessFlags
			0900 0000 0000 0000                      # CurrentByteOffset
			2000 0000 0000 0000                      # Mode, AlignmentRequirement
			0600 0000 5c00 6100 e400                 # FileName \aä
		`,
		want: &smbwire.AllInformation{
			Basic:    smbwire.BasicInformation{CreationTime: 1, LastAccessTime: 2, LastWriteTime: 3, ChangeTime: 4, FileAttributes: 0x10},
			Standard: smbwire.StandardInformation{AllocationSize: 5, EndOfFile: 6, NumberOfLinks: 7, Directory: true},
			FileID:   0x8000000000000011,
			Access:   smbwire.FileAllAccess,
			Position: 9,
			Mode:     0x20,
			Name:     `\aä`,
		},
	},
	{
		name: "network open",
		wire: `
			0100 0000 0000 0000 0200 0000 0000 0000  # CreationTime, LastAccessTime
			0300 0000 0000 0000 0400 0000 0000 0000  # LastWriteTime, ChangeTime
			0500 0000 0000 0000 0600 0000 0000 0000  # AllocationSize, EndOfFile
			8000 0000 0000 0000                      # FileAttributes
		`,
		want: &smbwire.NetworkOpenInformation{
			CreationTime: 1, LastAccessTime: 2, LastWriteTime: 3, ChangeTime: 4,
			AllocationSize: 5, EndOfFile: 6, FileAttributes: 0x80,
		},
	},
	{name: "attribute tag", wire: `0004 0000 0c00 00a0`, want: &smbwire.AttributeTagInformation{FileAttributes: 0x400, ReparseTag: 0xa000000c}},
	{
		name: "compression",
		wire: `0010 0000 0000 0000 0200 10 0c 0c 000000`,
		want: &smbwire.CompressionInformation{CompressedSize: 4096, Format: 2, UnitShift: 16, ChunkShift: 12, ClusterSizeShift: 12},
	},
	{
		name: "id",
		wire: `
			0100 0000 0000 0000                      # VolumeSerialNumber
			1100 0000 0000 0000 0000 0000 0000 0000  # FileId
		`,
		want: &smbwire.IDInformation{VolumeSerial: 1, FileID: 17},
	},
	{name: "standard link", wire: `0100 0000 0200 0000 01 01 0000`, want: &smbwire.StandardLinkInformation{NumberOfLinks: 1, TotalLinks: 2, DeletePending: true, Directory: true}},
	{name: "internal", wire: `1100 0000 0000 0000`, want: &smbwire.InternalInformation{FileID: 17}},
	{name: "ea", wire: `0400 0000`, want: &smbwire.EAInformation{EASize: 4}},
	{name: "access", wire: `8000 1200`, want: &smbwire.AccessInformation{Access: smbwire.FileReadAttributes | smbwire.ReadControl | smbwire.Synchronize}},
	{name: "position", wire: `0000 0000 0100 0000`, want: &smbwire.PositionInformation{Position: 1 << 32}},
	{name: "mode", wire: `0200 0000`, want: &smbwire.ModeInformation{Mode: 2}},
	{name: "alignment", wire: `ff01 0000`, want: &smbwire.AlignmentInformation{Alignment: 511}},
	{name: "end of file", wire: `0000 0000 0001 0000`, want: &smbwire.EndOfFileInformation{EndOfFile: 1 << 40}},
	{name: "allocation", wire: `0010 0000 0000 0000`, want: &smbwire.AllocationInformation{AllocationSize: 4096}},
	{name: "disposition", wire: `01`, want: &smbwire.DispositionInformation{DeletePending: true}},
	{name: "disposition ex", wire: `1300 0000`, want: &smbwire.DispositionInformationEx{Flags: smbwire.DispositionDelete | smbwire.DispositionPosix | smbwire.DispositionIgnoreReadOnly}},
	{name: "name", wire: `0400 0000 6100 5c00`, want: &smbwire.NameInformation{Name: `a\`}},
	{
		name: "rename",
		wire: `
			01 00000000000000     # ReplaceIfExists, Reserved
			0000 0000 0000 0000   # RootDirectory
			0600 0000             # FileNameLength
			6400 5c00 6600        # d\f
		`,
		want: &smbwire.RenameInformation{ReplaceIfExists: true, FileName: `d\f`},
	},
	{
		name: "rename ex",
		wire: `
			0300 0000 0000 0000   # Flags: replace, POSIX; Reserved
			0500 0000 0000 0000   # RootDirectory
			0200 0000 6600        # f
		`,
		want: &smbwire.RenameInformationEx{Flags: smbwire.RenameReplace | smbwire.RenamePosix, RootDirectory: 5, FileName: "f"},
	},
	{
		name: "streams",
		wire: `
			2800 0000 0e00 0000                      # NextEntryOffset, StreamNameLength
			0500 0000 0000 0000 0010 0000 0000 0000  # StreamSize, StreamAllocationSize
			3a00 3a00 2400 4400 4100 5400 4100 0000  # ::$DATA, aligned to 8
			0000 0000 0400 0000
			0100 0000 0000 0000 0200 0000 0000 0000
			3a00 6100                                # :a
		`,
		want: &smbwire.StreamInformation{Streams: []smbwire.Stream{
			{Name: "::$DATA", Size: 5, AllocationSize: 4096},
			{Name: ":a", Size: 1, AllocationSize: 2},
		}},
	},
	{
		name: "a file is renamed",
		wire: `
			1000 0000 0400 0000 0200 0000 6100 0000  # NextEntryOffset, Action: old name, FileNameLength, a, aligned to 4
			0000 0000 0500 0000 0600 0000            # new name
			6400 5c00 e400                           # d\ä
		`,
		want: &smbwire.NotifyInformation{Changes: []smbwire.NotifyChange{
			{Action: smbwire.NotifyRenamedOld, Name: "a"},
			{Action: smbwire.NotifyRenamedNew, Name: `d\ä`},
		}},
	},
	{
		name: "volume",
		wire: `
			0100 0000 0000 0000  # VolumeCreationTime
			7856 3412 0400 0000  # VolumeSerialNumber, VolumeLabelLength
			01 00 4100 4200      # SupportsObjects, Reserved, AB
		`,
		want: &smbwire.VolumeInformation{CreationTime: 1, SerialNumber: 0x12345678, SupportsObjects: true, Label: "AB"},
	},
	{
		name: "size",
		wire: `
			0a00 0000 0000 0000 0900 0000 0000 0000  # TotalAllocationUnits, AvailableAllocationUnits
			0800 0000 0002 0000                      # SectorsPerAllocationUnit, BytesPerSector
		`,
		want: &smbwire.SizeInformation{TotalUnits: 10, AvailableUnits: 9, SectorsPerUnit: 8, BytesPerSector: 512},
	},
	{
		name: "full size",
		wire: `
			0a00 0000 0000 0000                      # TotalAllocationUnits
			0800 0000 0000 0000 0900 0000 0000 0000  # CallerAvailable-, ActualAvailableAllocationUnits
			0800 0000 0002 0000                      # SectorsPerAllocationUnit, BytesPerSector
		`,
		want: &smbwire.FullSizeInformation{TotalUnits: 10, CallerUnits: 8, AvailableUnits: 9, SectorsPerUnit: 8, BytesPerSector: 512},
	},
	{name: "device", wire: `0700 0000 2000 0000`, want: &smbwire.DeviceInformation{DeviceType: smbwire.DeviceDisk, Characteristics: smbwire.DeviceMounted}},
	{
		name: "attribute",
		wire: `0600 0000 ff00 0000 0800 0000 4e00 5400 4600 5300`,
		want: &smbwire.AttributeInformation{Attributes: smbwire.FSCasePreserved | smbwire.FSUnicodeOnDisk, MaximumComponentLength: 255, Name: "NTFS"},
	},
	{
		name: "control",
		wire: `
			0100 0000 0000 0000 0200 0000 0000 0000  # FreeSpaceStartFiltering, FreeSpaceThreshold
			0300 0000 0000 0000                      # FreeSpaceStopFiltering
			ffff ffff ffff ffff 0400 0000 0000 0000  # DefaultQuotaThreshold, DefaultQuotaLimit
			0100 0000 0000 0000                      # FileSystemControlFlags, Padding
		`,
		want: &smbwire.ControlInformation{StartFiltering: 1, Threshold: 2, StopFiltering: 3, DefaultQuotaThreshold: 1<<64 - 1, DefaultQuotaLimit: 4, Flags: 1},
	},
	{
		name: "object id",
		wire: `000102030405060708090a0b0c0d0e0f` + strings.Repeat("00", 47) + `ff`,
		want: &smbwire.ObjectIDInformation{ObjectID: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, Extended: [48]byte{47: 0xff}},
	},
	{
		name: "sector size",
		wire: `
			0002 0000 0010 0000 0010 0000 0010 0000  # Logical, Atomicity, Performance, Effective
			0300 0000 0000 0000 0100 0000            # Flags, sector and partition alignment
		`,
		want: &smbwire.SectorSizeInformation{
			LogicalBytes: 512, AtomicBytes: 4096, PerformanceBytes: 4096, EffectiveBytes: 4096,
			Flags: smbwire.SectorAligned | smbwire.SectorPartitionAligned, PartitionOffset: 1,
		},
	},
	{name: "a name longer than the message", wire: `0400 0000 6100`, want: &smbwire.NameInformation{}, err: "too short"},
	{name: "a name of 4 GiB", wire: `feff ffff 6100`, want: &smbwire.NameInformation{}, err: "too short"},
	{name: "half a unit", wire: `0300 0000 6100 62`, want: &smbwire.NameInformation{}, err: "string of 3 bytes"},
	{name: "a label of 4 GiB", wire: `0000000000000000 00000000 feffffff 00 00`, want: &smbwire.VolumeInformation{}, err: "label of 4294967294 bytes"},
	{name: "a stream name of 4 GiB", wire: `00000000 feffffff 0000000000000000 0000000000000000`, want: &smbwire.StreamInformation{}, err: "stream name of 4294967294 bytes"},
	{name: "streams chained into themselves", wire: `08000000 00000000 0000000000000000 0000000000000000`, want: &smbwire.StreamInformation{}, err: "chained backwards"},
	{name: "streams chained out of bounds", wire: `20000000 00000000 0000000000000000 0000000000000000`, want: &smbwire.StreamInformation{}, err: "too short"},
	{name: "streams chained to where an int of 32 bits is negative", wire: `f8ffffff 00000000 0000000000000000 0000000000000000`, want: &smbwire.StreamInformation{}, err: "too short"},
	{name: "a changed name of 4 GiB", wire: `00000000 01000000 feffffff`, want: &smbwire.NotifyInformation{}, err: "too short"},
	{name: "changes chained into themselves", wire: `08000000 01000000 00000000`, want: &smbwire.NotifyInformation{}, err: "chained backwards"},
	{name: "changes chained out of bounds", wire: `10000000 01000000 00000000`, want: &smbwire.NotifyInformation{}, err: "too short"},
	{name: "changes chained to where an int of 32 bits is negative", wire: `fcffffff 01000000 00000000`, want: &smbwire.NotifyInformation{}, err: "too short"},
}

func TestInformation(t *testing.T) { runWireTests(t, nil, infoTests) }

// No shorter form is the same information.
func TestInformationCut(t *testing.T) {
	for _, tt := range infoTests {
		if tt.err != "" {
			continue
		}
		wire := hexdump.Bytes(t, tt.wire)
		for n := range wire {
			got := reflect.New(reflect.TypeOf(tt.want).Elem()).Interface().(message)
			r := cursor.NewReader(wire[:n])
			if got.Decode(r); r.Err() == nil && bytes.Equal(encoded(got), wire) {
				t.Errorf("%s: the first %d of %d bytes are enough", tt.name, n, len(wire))
			}
		}
	}
}

// encoded returns what m writes at the start of a buffer.
func encoded(m message) []byte {
	w := cursor.NewWriter(nil)
	m.Encode(w)
	return w.Message()
}

// FuzzInformation decodes bytes as every class; what is accepted must come
// back the same after a round trip.
func FuzzInformation(f *testing.F) {
	for i, tt := range infoTests {
		f.Add(i, hexdump.Bytes(f, tt.wire))
	}
	f.Fuzz(func(t *testing.T, which int, wire []byte) {
		kind := reflect.TypeOf(infoTests[uint(which)%uint(len(infoTests))].want).Elem()
		roundTrip(t, kind, nil, wire)
	})
}

// roundTrip fails if what a body holds changes when encoded and decoded again.
func roundTrip(t *testing.T, kind reflect.Type, before, body []byte) {
	t.Helper()
	decode := func(wire []byte) (message, error) {
		m := reflect.New(kind).Interface().(message)
		r := cursor.NewReader(wire)
		r.Skip(len(before))
		m.Decode(r)
		return m, r.Err()
	}
	encode := func(m message) []byte {
		w := cursor.NewWriter(nil)
		w.Bytes(before)
		m.Encode(w)
		return w.Message()
	}
	first, err := decode(append(bytes.Clone(before), body...))
	if err != nil {
		return
	}
	wire := encode(first)
	second, err := decode(wire)
	if err != nil {
		t.Fatalf("%+v can't be decoded: %v", first, err)
	}
	if !bytes.Equal(encode(second), wire) {
		t.Fatalf("%+v became %+v", first, second)
	}
}
